//! Solvers and Spacer. The ground rules of soundness are those of the parent module.
#![allow(unsafe_code, reason = "calls of Z3's C interface")]

use super::{Ast, Context, Decl, Model, Owned, Result, text};
use std::cell::Cell;
use z3_sys::*;

/// Z3's answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lbool {
    True,
    False,
    Unknown,
}

impl From<Z3_lbool> for Lbool {
    fn from(value: Z3_lbool) -> Self {
        match value {
            Z3_L_TRUE => Lbool::True,
            Z3_L_FALSE => Lbool::False,
            _ => Lbool::Unknown,
        }
    }
}

/// An incremental solver.
pub struct Solver {
    ctx: std::rc::Rc<Context>,
    solver: Z3_solver,
    /// The limit that Z3 knows of.
    limit: Cell<u32>,
}

impl Drop for Solver {
    fn drop(&mut self) {
        // SAFETY: taken when it was made.
        unsafe { Z3_solver_dec_ref(self.ctx.ctx, self.solver) };
    }
}

impl Solver {
    /// For series of questions.
    pub fn new(ctx: std::rc::Rc<Context>) -> Solver {
        // SAFETY: plain construction.
        let solver = unsafe { Z3_mk_simple_solver(ctx.ctx) };
        Solver::taken(ctx, solver.expect("Z3 makes a solver"))
    }

    /// For single questions about bit-vectors and arrays of them: as a whole these are first simplified, then made propositional.
    pub fn for_bits(ctx: std::rc::Rc<Context>) -> Solver {
        // SAFETY: plain construction; the name of the logic is copied.
        let solver = unsafe {
            let logic = Z3_mk_string_symbol(ctx.ctx, c"QF_AUFBV".as_ptr()).expect("Z3 makes a symbol");
            Z3_mk_solver_for_logic(ctx.ctx, logic)
        };
        Solver::taken(ctx, solver.expect("Z3 makes a solver"))
    }

    /// For questions that get long clauses of the same few literals one after the other: which literals are relevant is not asked, for it
    /// is asked of every such clause again.
    pub fn for_enumeration(ctx: std::rc::Rc<Context>) -> Solver {
        let solver = Solver::new(ctx);
        let params = Params::new(&solver.ctx);
        params.uint("relevancy", 0);
        // SAFETY: both live during the call.
        unsafe { Z3_solver_set_params(solver.ctx.ctx, solver.solver, params.params) };
        drop(params);
        solver
    }

    fn taken(ctx: std::rc::Rc<Context>, solver: Z3_solver) -> Solver {
        // SAFETY: a solver just made.
        unsafe { Z3_solver_inc_ref(ctx.ctx, solver) };
        {
            let params = Params::new(&ctx);
            // Ctrl-C is for the program that uses us: it cancels the budget, and the watchdog ends the call.
            params.bool("ctrl_c", false);
            // Cuts from Hermite normal forms took most of the time on long formulas, found little, and are not counted as work.
            params.bool("arith.enable_hnf", false);
            // SAFETY: both live during the call.
            unsafe { Z3_solver_set_params(ctx.ctx, solver, params.params) };
        }
        Solver { ctx, solver, limit: Cell::new(0) }
    }

    pub fn push(&self) {
        // SAFETY: a living solver, as in the functions that follow.
        unsafe { Z3_solver_push(self.ctx.ctx, self.solver) };
    }

    pub fn pop(&self, levels: u32) {
        // SAFETY: see above; the session counts its levels.
        unsafe { Z3_solver_pop(self.ctx.ctx, self.solver, levels) };
    }

    pub fn assert(&self, formula: Ast) {
        // SAFETY: see above.
        unsafe { Z3_solver_assert(self.ctx.ctx, self.solver, formula) };
    }

    /// Asserts that one of the literals holds. Nothing of the clause is kept but what the solver needs.
    pub fn assert_clause(&self, literals: &[Ast]) -> Result<()> {
        // SAFETY: handles of this context, with their number.
        let clause =
            self.ctx.own(unsafe { Z3_mk_or(self.ctx.ctx, literals.len() as u32, literals.as_ptr()) })?;
        self.assert(clause.ast);
        Ok(())
    }

    pub fn check(&self, assumptions: &[Ast]) -> Lbool {
        let (n, p) = (assumptions.len() as u32, assumptions.as_ptr());
        // SAFETY: see above.
        unsafe { Z3_solver_check_assumptions(self.ctx.ctx, self.solver, n, p) }.into()
    }

    pub fn reason(&self) -> String {
        // SAFETY: see above.
        text(unsafe { Z3_solver_get_reason_unknown(self.ctx.ctx, self.solver) })
    }

    /// The assumptions that were needed, after an unsatisfiable check.
    pub fn core(&self) -> Vec<Ast> {
        let c = self.ctx.ctx;
        // SAFETY: positions below the size reported; the assumptions are kept by the context.
        unsafe {
            let Some(core) = Z3_solver_get_unsat_core(c, self.solver) else { return Vec::new() };
            Z3_ast_vector_inc_ref(c, core);
            let found =
                (0..Z3_ast_vector_size(c, core)).filter_map(|i| Z3_ast_vector_get(c, core, i)).collect();
            Z3_ast_vector_dec_ref(c, core);
            found
        }
    }

    /// Limits each check to this many of Z3's units of work; zero for no limit.
    pub fn set_limit(&self, units: u32) {
        if self.limit.replace(units) == units {
            return;
        }
        let params = Params::new(&self.ctx);
        params.uint("rlimit", units);
        // SAFETY: see above.
        unsafe { Z3_solver_set_params(self.ctx.ctx, self.solver, params.params) };
    }

    /// The units of work that the whole context has counted so far.
    pub fn count(&self) -> u64 {
        // SAFETY: see above.
        self.ctx.count(unsafe { Z3_solver_get_statistics(self.ctx.ctx, self.solver) })
    }

    /// The value of a Boolean term that is an argument of some function, after a satisfiable check: its class is that of a constant. Unlike
    /// reading it from a model, which is built for everything, this is one look-up.
    pub fn value(&self, term: Ast) -> Option<bool> {
        let c = self.ctx.ctx;
        // SAFETY: see above; the representative is a term of the solver and is read before anything else is called.
        let value = unsafe {
            let root = Z3_solver_congruence_root(c, self.solver, term)?;
            Z3_get_bool_value(c, root)
        };
        match value.into() {
            Lbool::True => Some(true),
            Lbool::False => Some(false),
            Lbool::Unknown => None,
        }
    }

    pub fn model(&self) -> Result<Model<'_>> {
        // SAFETY: see above; the guard gives the reference back.
        unsafe {
            let Some(model) = Z3_solver_get_model(self.ctx.ctx, self.solver) else {
                return Err(self.ctx.fault());
            };
            Z3_model_inc_ref(self.ctx.ctx, model);
            Ok(Model { ctx: &self.ctx, model })
        }
    }
}

struct Params<'c> {
    ctx: &'c Context,
    params: Z3_params,
}

impl<'c> Params<'c> {
    fn new(ctx: &'c Context) -> Self {
        // SAFETY: plain construction; given back on drop.
        let params = unsafe {
            let params = Z3_mk_params(ctx.ctx).expect("Z3 makes parameters");
            Z3_params_inc_ref(ctx.ctx, params);
            params
        };
        Params { ctx, params }
    }

    fn bool(&self, key: &str, value: bool) {
        // SAFETY: a living parameter set.
        unsafe { Z3_params_set_bool(self.ctx.ctx, self.params, self.ctx.symbol(key), value) };
    }

    fn uint(&self, key: &str, value: u32) {
        // SAFETY: a living parameter set.
        unsafe { Z3_params_set_uint(self.ctx.ctx, self.params, self.ctx.symbol(key), value) };
    }

    fn symbol(&self, key: &str, value: &str) {
        let (key, value) = (self.ctx.symbol(key), self.ctx.symbol(value));
        // SAFETY: a living parameter set.
        unsafe { Z3_params_set_symbol(self.ctx.ctx, self.params, key, value) };
    }
}

impl Drop for Params<'_> {
    fn drop(&mut self) {
        // SAFETY: taken when it was made.
        unsafe { Z3_params_dec_ref(self.ctx.ctx, self.params) };
    }
}

/// Spacer, Z3's engine for constrained Horn clauses.
pub struct Fixedpoint<'c> {
    ctx: &'c Context,
    fixedpoint: Z3_fixedpoint,
}

impl Drop for Fixedpoint<'_> {
    fn drop(&mut self) {
        // SAFETY: taken when it was made.
        unsafe { Z3_fixedpoint_dec_ref(self.ctx.ctx, self.fixedpoint) };
    }
}

impl<'c> Fixedpoint<'c> {
    pub fn new(ctx: &'c Context) -> Self {
        // SAFETY: plain construction; given back on drop.
        let fixedpoint = unsafe {
            let fixedpoint = Z3_mk_fixedpoint(ctx.ctx).expect("Z3 makes a fixedpoint engine");
            Z3_fixedpoint_inc_ref(ctx.ctx, fixedpoint);
            fixedpoint
        };
        let engine = Fixedpoint { ctx, fixedpoint };
        engine.set(0, false);
        engine
    }

    /// Limits a query to this many of Z3's units of work, zero for no limit; with `global`, lemmas are also generalised from clusters of them.
    pub fn set(&self, units: u32, global: bool) {
        // Parameters replace those before, so that all of them are given each time.
        let params = Params::new(self.ctx);
        params.symbol("engine", "spacer");
        // Every relation stays as it was given, so that covers can be read per relation.
        for key in ["xform.inline_linear", "xform.inline_eager", "xform.slice", "xform.coi"] {
            params.bool(key, false);
        }
        params.bool("spacer.global", global);
        params.uint("rlimit", units);
        // SAFETY: both live during the call.
        unsafe { Z3_fixedpoint_set_params(self.ctx.ctx, self.fixedpoint, params.params) };
    }

    pub fn register(&self, relation: Decl) {
        // SAFETY: living objects of one context, as in the functions that follow.
        unsafe { Z3_fixedpoint_register_relation(self.ctx.ctx, self.fixedpoint, relation) };
    }

    pub fn rule(&self, rule: Ast) {
        // SAFETY: see above.
        unsafe { Z3_fixedpoint_add_rule(self.ctx.ctx, self.fixedpoint, rule, None) };
    }

    pub fn query(&self, query: Ast) -> Lbool {
        // SAFETY: see above.
        unsafe { Z3_fixedpoint_query(self.ctx.ctx, self.fixedpoint, query) }.into()
    }

    /// Why the last query has no answer.
    pub fn reason(&self) -> String {
        // SAFETY: see above.
        text(unsafe { Z3_fixedpoint_get_reason_unknown(self.ctx.ctx, self.fixedpoint) })
    }

    /// A proof that the query has a fact.
    pub fn derivation(&self) -> Result<Owned<'c>> {
        // SAFETY: see above.
        self.ctx.own(unsafe { Z3_fixedpoint_get_answer(self.ctx.ctx, self.fixedpoint) })
    }

    /// What is known of a relation at every level; the arguments are bound variables.
    pub fn cover(&self, relation: Decl) -> Result<Owned<'c>> {
        // SAFETY: see above.
        let cover = unsafe { Z3_fixedpoint_get_cover_delta(self.ctx.ctx, self.fixedpoint, -1, relation) };
        self.ctx.own(cover)
    }
}
