//! A verdict, how it was found, and what it leans on.

use craig_base::Span;
use craig_cfa::{Name, Program};
use craig_encode::Arith;
use craig_engine::Stats;
use craig_frontend::Reading;
use craig_verdict::{Reason, Verdict};
use std::collections::BTreeSet;
use std::sync::Arc;

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
    /// Functions without body whose result the program uses that was decided.
    pub externs: BTreeSet<Name>,
    /// Nothing leads to the error.
    pub vacuous: bool,
}

/// A try of an engine in one arithmetic.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub engine: &'static str,
    pub arith: Arith,
    pub stats: Stats,
    /// Why it gave no verdict; `None` if it did.
    pub reason: Option<Reason>,
}

impl Answer {
    /// The attempt that the verdict comes from, or that came nearest to one.
    pub fn decisive(&self) -> Option<&Attempt> {
        self.attempts.get(self.decisive?)
    }

    /// Where a proof assumes that nothing overflows.
    pub fn may_overflow(&self) -> &[Span] {
        match &self.verdict {
            Verdict::Safe(_, checked) => &checked.may_overflow,
            _ => &[],
        }
    }
}
