//! The Z3 solver behind a session. What it does not understand (a term that it rejects) surfaces as an undecided check: an assertion
//! that is missing must never lead to an answer.

use super::back;
use super::raw::{Ast, Result, Solver};
use super::translate::Translator;
use crate::calls::Calls;
use crate::session::Undecided;
use craig_logic::{Model, Op, Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
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
    /// Symbols whose values can be read without a model, with the levels where they were defined.
    proxies: FxHashSet<TermId>,
    defined: Vec<(u32, TermId)>,
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

    /// See [`Solver::for_enumeration`].
    pub fn for_enumeration(terms: Rc<Terms>, translator: Rc<Translator>) -> Self {
        let solver = Solver::for_enumeration(Rc::clone(&translator.ctx));
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
            proxies: FxHashSet::default(),
            defined: Vec::new(),
            fault: None,
        }
    }

    fn literal(&mut self, term: TermId) -> Result<Ast> {
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
        while let Some((level, proxy)) = self.defined.last() {
            if *level <= self.level {
                break;
            }
            self.proxies.remove(proxy);
            self.defined.pop();
        }
        if self.fault.as_ref().is_some_and(|(level, _)| *level > self.level) {
            self.fault = None;
        }
    }

    pub fn assert(&mut self, term: TermId) {
        let asserted = self.translator.term(&self.terms, term).map(|ast| self.solver.assert(ast));
        self.note_fault(asserted);
    }

    fn note_fault(&mut self, done: Result<()>) {
        if let Err(error) = done {
            self.fault = self.fault.take().or(Some((self.level, error.0)));
        }
    }

    /// Lets symbols mean Boolean terms, each once as long as its level is open.
    pub fn define(&mut self, pairs: &[(TermId, TermId)]) {
        let new: Vec<_> = pairs.iter().copied().filter(|(proxy, _)| self.proxies.insert(*proxy)).collect();
        self.defined.extend(new.iter().map(|(proxy, _)| (self.level, *proxy)));
        if !new.is_empty() {
            let defined = self.assert_proxies(&new);
            self.note_fault(defined);
        }
    }

    fn assert_proxies(&self, pairs: &[(TermId, TermId)]) -> Result<()> {
        let (z, translator) = (&self.translator.ctx, &self.translator);
        // As an argument of a function a symbol has a class, which is that of a truth value when it has one ([`Solver::value`]).
        for (proxy, _) in pairs {
            let name = translator.term(&self.terms, *proxy)?;
            self.solver.assert(z.apply(translator.read_mark()?, &[name])?);
        }
        // A new level makes Z3 take in what was asserted. Later it would have replaced symbols whose value is known by then.
        self.solver.push();
        self.solver.pop(1);
        for (proxy, term) in pairs.iter().filter(|(proxy, term)| proxy != term) {
            let (name, term) = (translator.term(&self.terms, *proxy)?, translator.term(&self.terms, *term)?);
            self.solver.assert(z.eq(name, term)?);
        }
        Ok(())
    }

    /// The value of a literal over a proxy after a satisfiable check.
    fn value(&self, literal: TermId) -> Option<bool> {
        let (proxy, positive) = self.terms.atom(literal);
        match self.terms.op(proxy) {
            Op::True => return Some(positive),
            Op::False => return Some(!positive),
            _ => {}
        }
        let ast = self.proxies.contains(&proxy).then(|| self.translator.term(&self.terms, proxy).ok())??;
        Some(self.solver.value(ast)? == positive)
    }

    /// Asserts that not all of the literals hold.
    pub fn exclude(&mut self, literals: &[TermId]) {
        let other = |t: &TermId| self.translator.term(&self.terms, self.terms.not(*t));
        let clause: Result<Vec<Ast>> = literals.iter().map(other).collect();
        let asserted = clause.and_then(|clause| self.solver.assert_clause(&clause));
        self.note_fault(asserted);
    }

    /// Are the assertions and the assumptions satisfiable together? With at most `own` units of work.
    pub fn check(
        &mut self,
        assumptions: &[TermId],
        own: Option<u32>,
        calls: &Calls,
    ) -> std::result::Result<bool, Undecided> {
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

    /// The values of Boolean terms in the model of the last satisfiable check; `None` when one of them has no plain value. Without building
    /// the model if all of them are literals over proxies.
    pub fn truths(&mut self, terms: &[TermId]) -> Option<Vec<bool>> {
        if let Some(values) = terms.iter().map(|t| self.value(*t)).collect() {
            return Some(values);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watchdog::Watch;
    use craig_base::Budget;

    #[test]
    fn proxies_have_values_without_a_model() {
        let t = Rc::new(Terms::new());
        let translator = Rc::new(Translator::new());
        let calls = Calls::new(Watch::new(Budget::unlimited(), || {}));
        let mut s = Z3Session::for_enumeration(Rc::clone(&t), translator);
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        let b = t.symbol("b", Sort::Bool);
        // Some are settled by what was asserted before, some by what comes after, some not at all.
        let terms =
            [t.eq(x, t.int(3)), t.ge(x, t.int(9)), t.ge(y, t.int(5)), t.lt(y, x), t.eq(y, t.int(6)), b];
        let fresh = |term: &TermId| if *term == b { b } else { t.fresh("proxy", Sort::Bool) };
        let pairs: Vec<_> = terms.iter().map(|term| (fresh(term), *term)).collect();
        s.assert(t.eq(x, t.int(3)));
        assert_eq!(s.check(&[], None, &calls), Ok(true));
        s.define(&pairs);
        s.push();
        s.assert(t.and([t.ge(y, t.int(5)), t.not(b)]));
        assert_eq!(s.check(&[], None, &calls), Ok(true));
        let read: Vec<Option<bool>> = pairs.iter().map(|(proxy, _)| s.value(*proxy)).collect();
        let fixed = [Some(true), Some(false), Some(true), Some(false)];
        assert_eq!(read[..4], fixed);
        assert!(read[4].is_some());
        assert_eq!(read[5], Some(false));
        assert_eq!(s.value(t.not(pairs[0].0)), Some(false));
    }
}
