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
    /// Limits the work of each check, in units of the solver's own that do not depend on the clock; zero for no limit.
    fn set_work_limit(&mut self, units: u32);
    /// The model of the last satisfiable check; `None` when it has values we cannot represent.
    fn model(&mut self) -> Option<Model>;
    /// The values of Boolean terms in the model of the last satisfiable check; `None` when one of them has no plain value.
    fn truths(&mut self, terms: &[TermId]) -> Option<Vec<bool>>;
    /// The assumptions that the last unsatisfiable check needed.
    fn core(&mut self) -> Vec<TermId>;
}
