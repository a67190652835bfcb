//! The checked program to a [`Program`].
//!
//! | module | translates |
//! |---|---|
//! | [`start`] | globals, constants, axioms, the choice of the entry |
//! | [`procedure`] | procedures: prologue, contract, epilogue, and those given by contract only |
//! | [`stmt`] | statements |
//! | [`call`] | calls |
//! | [`expr`] | expressions |
//! | [`builtin`] | functions that are operations of the solver |
//! | [`unmodelled`] | what is not modelled: arbitrary values on marked paths |
//!
//! The program begins in a procedure of our own, `__start`. Procedures become part of the program when something calls them, globals
//! when something names them.
//!
//! A procedure with one result returns it. One with more leaves them in global variables of its own, which the caller reads
//! right after the call: no other call can come between.

mod builtin;
mod call;
mod expr;
mod procedure;
mod start;
mod stmt;
mod unmodelled;

use super::hir::{Expr, GlobalId, Hir, ProcedureId};
use super::types::{Ty, TyId};
use crate::{Res, tidy};
use craig_base::{Budget, Pace, Source, Span, Stop};
use craig_cfa::{
    Choice, DataModel, EdgeId, ExprId, Lang, LocId, Name, Op, PlaceId, ProcId, Program, Type, TypeId, Types,
    VarId, VarKind, verify,
};
use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;

pub fn lower(hir: &Hir, source: &Arc<Source>, entry: Option<&str>, budget: &Budget) -> Res<Program> {
    let entries = start::entries(hir, entry)?;
    let mut lower = Lower::new(hir, source, budget);
    lower.start(&entries);
    if let Some(stop) = lower.stopped {
        return Err(stop.into());
    }
    let mut program = lower.p;
    tidy::tidy(&mut program);
    verify::debug_verify(&program, "translation from Boogie");
    Ok(program)
}

/// What is fixed while the code of one procedure is made.
struct Frame<'a> {
    proc: ProcId,
    /// The `where` clauses of the locals.
    wheres: Vec<Option<&'a Expr>>,
    /// Values of the globals at entry.
    olds: FxHashMap<GlobalId, VarId>,
    /// Locations of labels, made when first needed.
    labels: Vec<Option<LocId>>,
    /// Ends of the `if` and `while` around the statement.
    around: Vec<LocId>,
    /// Where every `return` leads.
    leave: LocId,
    /// Says which way to go where the program leaves it open.
    way: Option<VarId>,
    temps: u32,
}

impl Frame<'_> {
    fn new(proc: ProcId, leave: LocId) -> Self {
        Frame {
            proc,
            wheres: Vec::new(),
            olds: FxHashMap::default(),
            labels: Vec::new(),
            around: Vec::new(),
            leave,
            way: None,
            temps: 0,
        }
    }
}

/// What a local stands for, and whether `old` means anything, in the expression that is translated now.
#[derive(Clone, Default)]
struct Env {
    locals: Vec<ExprId>,
    /// `old` changes nothing: there is only one state.
    one_state: bool,
}

struct Lower<'a> {
    hir: &'a Hir,
    pace: Pace<'a>,
    /// The budget has ended. From then on nothing is translated any more, and what there is will be dropped.
    stopped: Option<Stop>,
    p: Program,
    types: FxHashMap<TyId, TypeId>,
    globals: IndexVec<GlobalId, Option<VarId>>,
    /// The procedures for each implementation, or the one that does what the contract says.
    procs: IndexVec<ProcedureId, Option<Vec<ProcId>>>,
    /// Global variables for the results of procedures that have several.
    results: IndexVec<ProcedureId, Vec<VarId>>,
    /// Procedures that something calls and that have no code yet.
    queue: VecDeque<ProcedureId>,
    /// Functions that are never expanded: recursive ones.
    recursive: FxHashSet<super::hir::FunId>,
    unmodelled: unmodelled::Unmodelled,
    /// Edges from a failed check to the error.
    failures: Vec<EdgeId>,
    /// Expanded functions of the current expression.
    expanded: FxHashMap<expr::Application, ExprId>,
    /// Number of nodes of expressions as trees.
    weights: FxHashMap<ExprId, u64>,
    /// Depth of recursion over expressions and expanded functions.
    depth: u32,
    frame: Frame<'a>,
    env: Env,
    /// Inside `old`.
    old: bool,
    cur: LocId,
}

impl<'a> Lower<'a> {
    fn new(hir: &'a Hir, source: &Arc<Source>, budget: &'a Budget) -> Self {
        let types = Types::new(DataModel::default());
        let p = Program::new(Arc::clone(source), Lang::Boogie, types, "__start");
        let proc = p.entry;
        let (cur, leave) = (p.procs[proc].entry, p.procs[proc].exit);
        Lower {
            hir,
            pace: Pace::new(budget),
            stopped: None,
            p,
            types: FxHashMap::default(),
            globals: index_vec![None; hir.globals.len()],
            procs: index_vec![None; hir.procedures.len()],
            results: index_vec![Vec::new(); hir.procedures.len()],
            queue: VecDeque::new(),
            recursive: expr::recursive_functions(hir),
            unmodelled: unmodelled::Unmodelled::default(),
            failures: Vec::new(),
            expanded: FxHashMap::default(),
            weights: FxHashMap::default(),
            depth: 0,
            frame: Frame::new(proc, leave),
            env: Env::default(),
            old: false,
            cur,
        }
    }

    // Types and variables.

    fn ty(&mut self, ty: TyId) -> TypeId {
        if let Some(&known) = self.types.get(&ty) {
            return known;
        }
        let lowered = match self.hir.tys.get(ty) {
            Ty::Int => Type::MathInt,
            Ty::Real => Type::MathReal,
            Ty::Bool => Type::Bool,
            Ty::Bv(width @ 1..=128) => Type::Int(craig_cfa::IntTy { width: *width as u16, signed: false }),
            Ty::Map { params, index, elem } if params.is_empty() => {
                let (index, elem) = (index.clone(), *elem);
                let index = index.iter().map(|t| self.ty(*t)).collect();
                Type::Map { index, elem: self.ty(elem) }
            }
            // Only equality is known of these: uninterpreted types, type parameters, what is not modelled.
            Ty::Bv(_) | Ty::Map { .. } | Ty::Con(..) | Ty::Param(..) => {
                Type::Opaque(self.hir.tys.full_name(ty).into())
            }
        };
        let id = self.p.types.intern(lowered);
        self.types.insert(ty, id);
        id
    }

    /// One step more; `true`: the budget has ended.
    fn has_ended(&mut self) -> bool {
        if self.stopped.is_none() {
            self.stopped = self.pace.step().err();
        }
        self.stopped.is_some()
    }

    fn global(&mut self, id: GlobalId) -> VarId {
        if let Some(var) = self.globals[id] {
            return var;
        }
        let global = &self.hir.globals[id];
        let ty = self.ty(global.ty);
        let var = self.p.add_var(global.name.clone(), ty, VarKind::Global, None, global.span);
        self.globals[id] = Some(var);
        var
    }

    fn temp(&mut self, what: &str, ty: TypeId, span: Span) -> VarId {
        self.frame.temps += 1;
        let name = format!("{what}.{}", self.frame.temps);
        self.p.add_var(name.into(), ty, VarKind::Temp, Some(self.frame.proc), span)
    }

    fn place(&mut self, var: VarId) -> PlaceId {
        self.p.var_place(var)
    }

    // Locations and edges.

    fn new_loc(&mut self, span: Span) -> LocId {
        self.p.add_loc(self.frame.proc, span)
    }

    fn emit(&mut self, op: Op, span: Span) {
        let next = self.new_loc(span);
        self.p.add_edge(self.cur, next, op, span);
        self.cur = next;
    }

    /// A statement that is not modelled: what follows has no meaning, so it leads to the error, where it counts as the reason for an
    /// UNKNOWN.
    fn not_modelled(&mut self, construct: &str, span: Span) {
        self.p.add_edge(self.cur, self.p.error, Op::Unsupported(construct.into()), span);
        self.dead_end(span);
    }

    fn goto(&mut self, to: LocId, span: Span) {
        self.p.add_edge(self.cur, to, Op::Skip, span);
    }

    /// So many ways to go on. Which one is taken is a choice like that of a value, so that an execution can name it.
    fn ways(&mut self, count: usize, span: Span) -> Vec<LocId> {
        let mut found = Vec::new();
        for _ in 1..count {
            let var = match self.frame.way {
                Some(var) => var,
                None => self.temp("way", Types::BOOL, span),
            };
            self.frame.way = Some(var);
            self.havoc(var, Choice::Way, span);
            let this = self.p.var_expr(var);
            let other = self.p.exprs.not(this);
            let (here, on) = (self.new_loc(span), self.new_loc(span));
            self.p.add_edge(self.cur, here, Op::Assume(this), span);
            self.p.add_edge(self.cur, on, Op::Assume(other), span);
            found.push(here);
            self.cur = on;
        }
        found.push(self.cur);
        found
    }

    /// The run does not come past this point; code that follows is unreachable.
    fn dead_end(&mut self, span: Span) {
        self.cur = self.new_loc(span);
    }

    fn assign(&mut self, var: VarId, value: ExprId, span: Span) {
        let place = self.place(var);
        self.emit(Op::Assign(place, value), span);
    }

    fn havoc(&mut self, var: VarId, why: Choice, span: Span) {
        let place = self.place(var);
        self.emit(Op::Havoc(place, why), span);
    }

    fn havoc_as(&mut self, var: VarId, why: fn(Name) -> Choice, span: Span) {
        let name = self.p.vars[var].name.clone();
        self.havoc(var, why(name), span);
    }

    fn assume(&mut self, condition: ExprId, span: Span) {
        if self.p.exprs.as_bool(condition) != Some(true) {
            self.emit(Op::Assume(condition), span);
        }
    }

    /// Goes on where the condition holds, to the error where not.
    fn check(&mut self, condition: ExprId, span: Span) {
        let error = self.p.error;
        let failed = match self.p.exprs.as_bool(condition) {
            Some(true) => return,
            Some(false) => Op::Skip,
            None => Op::Assume(self.p.exprs.not(condition)),
        };
        let never = failed == Op::Skip;
        let edge = self.p.add_edge(self.cur, error, failed, span);
        self.failures.push(edge);
        if never {
            self.dead_end(span);
        } else {
            self.emit(Op::Assume(condition), span);
        }
    }
}
