//! The Z3 solver behind a session. What it does not understand (a term that it rejects) surfaces as an undecided check: an assertion
//! that is missing must never lead to an answer.

use super::back;
use super::raw::{Ast, Solver};
use super::translate::Translator;
use crate::calls::Calls;
use crate::session::Undecided;
use craig_logic::{Model, Op, Sort, TermId, Terms};
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub struct Z3Session {
    terms: Rc<Terms>,
    translator: Rc<Translator>,
    solver: Solver,
    level: u32,
    /// Z3 wants literals as assumptions; any other formula gets a name, defined at the level where it was first used.
    names: FxHashMap<TermId, Ast>,
    named: Vec<(u32, TermId)>,
    assumed: Vec<(Ast, TermId)>,
    /// What went wrong since, with the level it went wrong at.
    fault: Option<(u32, String)>,
}

impl Z3Session {
    pub fn new(terms: Rc<Terms>, translator: Rc<Translator>) -> Self {
        let solver = Solver::new(Rc::clone(&translator.ctx));
        Z3Session::with(solver, terms, translator)
    }

    /// See [`Solver::for_bits`].
    pub fn for_bits(terms: Rc<Terms>, translator: Rc<Translator>) -> Self {
        let solver = Solver::for_bits(Rc::clone(&translator.ctx));
        Z3Session::with(solver, terms, translator)
    }

    fn with(solver: Solver, terms: Rc<Terms>, translator: Rc<Translator>) -> Self {
        Z3Session {
            terms,
            translator,
            solver,
            level: 0,
            names: FxHashMap::default(),
            named: Vec::new(),
            assumed: Vec::new(),
            fault: None,
        }
    }

    fn literal(&mut self, term: TermId) -> super::raw::Result<Ast> {
        let (atom, _) = self.terms.atom(term);
        let ast = self.translator.term(&self.terms, term)?;
        if matches!(self.terms.op(atom), Op::Symbol(_)) {
            return Ok(ast);
        }
        if let Some(name) = self.names.get(&term) {
            return Ok(*name);
        }
        let z = &self.translator.ctx;
        let decl = z.fresh_decl("assume", &[], self.translator.sort(&self.terms, Sort::Bool)?)?;
        let name = z.apply(decl, &[])?;
        self.solver.assert(z.implies(name, ast)?);
        self.names.insert(term, name);
        self.named.push((self.level, term));
        Ok(name)
    }

    pub fn push(&mut self) {
        self.solver.push();
        self.level += 1;
    }

    pub fn pop(&mut self, levels: u32) {
        let levels = levels.min(self.level);
        self.solver.pop(levels);
        self.level -= levels;
        while let Some((level, term)) = self.named.last() {
            if *level <= self.level {
                break;
            }
            self.names.remove(term);
            self.named.pop();
        }
        if self.fault.as_ref().is_some_and(|(level, _)| *level > self.level) {
            self.fault = None;
        }
    }

    pub fn assert(&mut self, term: TermId) {
        match self.translator.term(&self.terms, term) {
            Ok(ast) => self.solver.assert(ast),
            Err(error) => self.fault = self.fault.take().or(Some((self.level, error.0))),
        }
    }

    /// Are the assertions and the assumptions satisfiable together? With at most `own` units of work.
    pub fn check(
        &mut self,
        assumptions: &[TermId],
        own: Option<u32>,
        calls: &Calls,
    ) -> Result<bool, Undecided> {
        self.assumed.clear();
        if let Some((_, fault)) = &self.fault {
            return Err(Undecided::Incomplete(fault.clone()));
        }
        let mut literals = Vec::with_capacity(assumptions.len());
        for term in assumptions {
            let ast = self.literal(*term).map_err(|error| Undecided::Incomplete(error.0))?;
            literals.push(ast);
            self.assumed.push((ast, *term));
        }
        let solver = &self.solver;
        let check = |limit: u32| {
            // What the budget has left shrinks with every question, and telling Z3 a new limit takes as long as many a small one.
            let rounded = if Some(limit) == own { limit } else { round_up(limit) };
            solver.set_limit(rounded);
            solver.check(&literals)
        };
        calls.ask(own, || solver.count(), check, || solver.reason())
    }

    /// The model of the last satisfiable check; `None` when it has values we cannot represent.
    pub fn model(&mut self) -> Option<Model> {
        let found = self.solver.model().ok()?;
        let (model, complete) = back::model(&self.translator, &self.terms, &found);
        complete.then_some(model)
    }

    /// The values of Boolean terms in the model of the last satisfiable check; `None` when one of them has no plain value.
    pub fn truths(&mut self, terms: &[TermId]) -> Option<Vec<bool>> {
        let model = self.solver.model().ok()?;
        terms.iter().map(|t| model.truth(self.translator.term(&self.terms, *t).ok()?)).collect()
    }

    /// The assumptions that the last unsatisfiable check needed.
    pub fn core(&mut self) -> Vec<TermId> {
        let core = self.solver.core();
        let found = self.assumed.iter().filter(|(ast, _)| core.contains(ast));
        let mut terms: Vec<TermId> = found.map(|(_, term)| *term).collect();
        terms.dedup();
        terms
    }
}

/// The next power of two; zero stays.
fn round_up(limit: u32) -> u32 {
    if limit == 0 { 0 } else { limit.checked_next_power_of_two().unwrap_or(u32::MAX) }
}
