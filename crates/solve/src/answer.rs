//! A verdict, how it was found, and what it leans on.

use crate::ledger::{Assumption, ledger};
use craig_base::Span;
use craig_cfa::{Name, Program};
use craig_encode::Arith;
use craig_engine::Stats;
use craig_frontend::Reading;
use craig_verdict::{Reason, Verdict};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Answer {
    pub source: Arc<Program>,
    /// How it was read; the property is the one that was really checked.
    pub reading: Reading,
    pub verdict: Verdict,
    /// Every try of an engine, in the order in which they ended. None if the program was never handed to one.
    pub attempts: Vec<Attempt>,
    /// The attempt that the verdict comes from, or that came nearest to one.
    pub decisive: Option<usize>,
    /// What the second opinion took, if a proof leans on it that nothing overflows.
    pub second_opinion: Option<Duration>,
    /// Functions without body whose result the program uses that was decided.
    pub externs: BTreeSet<Name>,
    /// Nothing leads to the error.
    pub vacuous: bool,
    /// What a proof assumes that is no verdict because nothing was to be assumed.
    pub withheld: Vec<Assumption>,
}

/// A try of an engine in one arithmetic.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub engine: &'static str,
    pub arith: Arith,
    pub stats: Stats,
    /// Why it gave no verdict; `None` if it did.
    pub reason: Option<Reason>,
    /// A verdict was there already: this only tried to remove an assumption.
    pub second_opinion: bool,
}

impl Answer {
    /// A proof that assumes anything is no verdict.
    pub fn strictly(mut self) -> Answer {
        let assumed = ledger(&self);
        if let (Verdict::Safe(..), false) = (&self.verdict, assumed.is_empty()) {
            self.verdict = Verdict::Unknown(Reason::Assumes(assumed.len()));
            self.withheld = assumed;
        }
        self
    }

    /// The attempt that the verdict comes from, or that came nearest to one.
    pub fn decisive(&self) -> Option<&Attempt> {
        self.attempts.get(self.decisive?)
    }

    /// The attempt whose effort the verdict is measured by: the decisive one, or the one before it that a second opinion only freed of an assumption.
    pub fn measured(&self) -> Option<&Attempt> {
        let first = |attempt: &&Attempt| attempt.reason.is_none() && !attempt.second_opinion;
        self.decisive().map(|decisive| match decisive.second_opinion {
            true => self.attempts.iter().rev().find(first).unwrap_or(decisive),
            false => decisive,
        })
    }

    /// Where a proof assumes that nothing overflows.
    pub fn may_overflow(&self) -> &[Span] {
        match &self.verdict {
            Verdict::Safe(_, checked) => &checked.may_overflow,
            _ => &[],
        }
    }
}
