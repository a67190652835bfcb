//! Verdicts: what an engine says, and the proof that it is so.
//!
//! | module | holds |
//! |---|---|
//! | [`outcome`] | what an engine answers: a certificate, a trace, or the reason why neither |
//! | [`replay`] | a trace run by the interpreter on the source program |

pub mod outcome;
pub mod replay;

pub use outcome::{Certificate, Choice, Outcome, Reason, Step, Trace};
