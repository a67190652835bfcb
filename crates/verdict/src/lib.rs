//! Verdicts: what an engine says, and the proof that it is so.
//!
//! | module | holds |
//! |---|---|
//! | [`outcome`] | what an engine answers: a certificate, a trace, or the reason why neither |
//! | [`certificate`] | why a program is safe, as data |
//! | [`check`] | the checker of certificates |
//! | [`expand`] | the source program with its calls expanded and its cycles cut, for the checker |
//! | [`segment`] | the loop-free pieces between cuts as formulas, for the checker |
//! | [`judge`] | from an engine's answer to a verdict: checked or replayed |
//! | [`witness`] | verdict and proof as a file |
//! | [`replay`] | a trace run by the interpreter on the source program |

pub mod certificate;
pub mod check;
pub mod expand;
pub mod judge;
pub mod outcome;
pub mod replay;
pub mod segment;
pub mod witness;

pub use certificate::{Certificate, Proof};
pub use check::{Checked, check};
pub use judge::{Verdict, judge};
pub use outcome::{Choice, Outcome, Reason, Step, Trace};
pub use replay::{Violation, replay};
