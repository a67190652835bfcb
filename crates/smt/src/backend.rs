//! What a solver must be able to do to stand behind a [`crate::Session`]. Engines do not see this trait; a second
//! solver joins by implementing it.

use craig_logic::{Model, TermId};

/// The bare answer of a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Sat,
    Unsat,
    /// With the solver's own words.
    Unknown(String),
}

/// One incremental solver instance. Failures inside (a term the solver rejects) surface as `Unknown` of the next
/// check: an assertion that was not understood must never lead to an answer.
pub trait Backend {
    fn push(&mut self);
    fn pop(&mut self, levels: u32);
    fn assert(&mut self, term: TermId);
    fn check(&mut self, assumptions: &[TermId]) -> Verdict;
    /// The model of the last satisfiable check; `None` when it has values we cannot represent.
    fn model(&mut self) -> Option<Model>;
    /// The assumptions that the last unsatisfiable check needed.
    fn core(&mut self) -> Vec<TermId>;
}
