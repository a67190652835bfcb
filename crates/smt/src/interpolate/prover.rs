//! The solver calls of one interpolation: a session in which every formula of the problem has a name, so that any
//! selection of them can be checked together without being asserted again.

use crate::session::{Answer, Reason, Session, Smt};
use craig_logic::{Model, TermId, Terms};
use std::rc::Rc;

pub struct Prover {
    pub terms: Rc<Terms>,
    session: Session,
}

impl Prover {
    pub fn new(smt: &Smt) -> Prover {
        Prover { terms: Rc::clone(smt.terms()), session: smt.session() }
    }

    /// Whether the conjunction is satisfiable.
    pub fn sat(&mut self, formulas: &[TermId]) -> Result<bool, Reason> {
        if formulas.iter().any(|f| self.terms.is_false(*f)) {
            return Ok(false);
        }
        self.session.check_assuming(formulas).decided()
    }

    /// A model of the conjunction, if there is one.
    pub fn model(&mut self, formulas: &[TermId]) -> Result<Option<Model>, Reason> {
        if !self.sat(formulas)? {
            return Ok(None);
        }
        match self.session.model() {
            Some(model) => Ok(Some(model)),
            None => Err(Reason::GaveUp("the model has values without a term".into())),
        }
    }

    /// After an unsatisfiable check: those of its formulas that were needed.
    pub fn core(&mut self) -> Vec<TermId> {
        self.session.core()
    }

    /// Whether the premises imply the conclusion.
    pub fn entails(&mut self, premises: &[TermId], conclusion: TermId) -> Result<bool, Reason> {
        if self.terms.is_true(conclusion) || premises.contains(&conclusion) {
            return Ok(true);
        }
        let mut all = premises.to_vec();
        all.push(self.terms.not(conclusion));
        Ok(!self.sat(&all)?)
    }

    /// Unsatisfiable for sure: an unknown answer counts as no.
    pub fn unsat(&mut self, formulas: &[TermId]) -> bool {
        matches!(self.session.check_assuming(formulas), Answer::Unsat)
    }
}
