//! The solver calls of one interpolation.
//!
//! One session for all of them, in which every formula has a name, so that any selection of them can be checked
//! together. Tried and rejected: a session per side with the formulas asserted on levels; making a session costs as
//! much as several checks (medians of 6.7 instead of 4.4 times a plain check).
//!
//! A session that gave up on a question forgets everything before the next one. Fewer questions are given up then (131
//! instead of 173 on 28 slow sequences), but the total time did not change measurably by that alone.

use crate::session::{Pooled, Smt, Status, Undecided};
use craig_logic::{Model, TermId, Terms};
use std::rc::Rc;

/// A question that costs the session more work (in Z3's units) is asked again from scratch: integer problems that an
/// incremental solver runs away on are often easy for a fresh one.
const WORK: u32 = 20_000;
/// For the second try.
const SCRATCH_WORK: u32 = 100_000;
/// For questions whose answer only makes a result shorter.
const TIDY_WORK: u32 = 4_000;

pub struct Prover {
    pub terms: Rc<Terms>,
    smt: Smt,
    session: Pooled,
    question: Vec<TermId>,
    /// The last question was given up.
    stale: bool,
    hard: u32,
}

impl Prover {
    pub fn new(smt: &Smt) -> Prover {
        let mut session = smt.pooled_session();
        session.set_work_limit(WORK);
        Prover {
            terms: Rc::clone(smt.terms()),
            smt: smt.clone(),
            session,
            question: Vec::new(),
            stale: false,
            hard: 0,
        }
    }

    /// Models that were too much work for the session so far: a measure of how hard the problem is that no clock
    /// disturbs.
    pub fn hard(&self) -> u32 {
        self.hard
    }

    fn ask(&mut self, formulas: &[TermId], facts: &[TermId]) -> Status {
        self.question.clear();
        self.question.extend(formulas);
        self.question.extend(facts);
        if self.stale {
            self.session.pop();
            self.session.push();
        }
        let answer = self.session.check_assuming(&self.question);
        self.stale = matches!(answer, Status::Unknown(_));
        answer
    }

    /// A model of the formulas and the facts, if there is one.
    pub fn model(&mut self, formulas: &[TermId], facts: &[TermId]) -> Result<Option<Model>, Undecided> {
        match self.ask(formulas, facts) {
            Status::Sat => return self.session.require_model().map(Some),
            Status::Unsat => return Ok(None),
            Status::Unknown(why) if why.gave_up() => {}
            Status::Unknown(why) => return Err(why),
        }
        self.hard += 1;
        let mut fresh = self.smt.session();
        fresh.set_work_limit(SCRATCH_WORK);
        for formula in &self.question {
            fresh.assert(*formula);
        }
        match fresh.check() {
            Status::Sat => fresh.require_model().map(Some),
            Status::Unsat => Ok(None),
            Status::Unknown(why) => Err(why),
        }
    }

    /// Unsatisfiable, and seen to be with little work: no answer counts as no.
    pub fn unsat(&mut self, formulas: &[TermId], facts: &[TermId]) -> bool {
        self.ask(formulas, facts).is_unsat()
    }

    /// As [`Prover::unsat`], with less work; `None` when that was not enough.
    pub fn easily_unsat(&mut self, formulas: &[TermId], facts: &[TermId]) -> Option<bool> {
        self.session.set_work_limit(TIDY_WORK);
        let answer = self.ask(formulas, facts);
        self.session.set_work_limit(WORK);
        match answer {
            Status::Unsat => Some(true),
            Status::Sat => Some(false),
            Status::Unknown(_) => None,
        }
    }

    /// After [`Prover::unsat`]: what was needed of formulas and facts.
    pub fn core(&mut self) -> Vec<TermId> {
        self.session.core()
    }

    /// Whether the formulas imply the fact, as far as little work shows.
    pub fn implied(&mut self, formulas: &[TermId], fact: TermId) -> bool {
        self.terms.is_true(fact) || formulas.contains(&fact) || self.unsat(formulas, &[self.terms.not(fact)])
    }
}
