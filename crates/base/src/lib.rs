//! What every other crate stands on: source text and spans, diagnostics, and the budget of a run.
//!
//! | module | holds |
//! |---|---|
//! | [`source`] | the text of a program, spans into it, positions (file, line, column) for people |
//! | [`diag`] | errors and notes that point at the source |
//! | [`budget`] | the limits of a run and its cancellation |
//! | [`stack`] | threads with big stacks |
//! | [`timer`] | processor time of a thread |
//! | [`turns`] | several threads of which one works at a time |

pub mod budget;
pub mod diag;
pub mod source;
pub mod stack;
pub mod timer;
pub mod turns;

pub use budget::{Budget, Pace, Stop};
pub use diag::{Diagnostic, Severity};
pub use source::{Position, Source, Span};
pub use timer::Timer;
pub use turns::Turns;
