//! What every other crate stands on: source text and spans, diagnostics, and the budget of a run.
//!
//! | module | holds |
//! |---|---|
//! | [`source`] | the text of a program, spans into it, places (file, line, column) for people |
//! | [`diag`] | errors and notes that point at the source |
//! | [`budget`] | the limits of a run and its cancellation |

pub mod budget;
pub mod diag;
pub mod source;

pub use budget::{Budget, Stop};
pub use diag::{Diagnostic, Severity};
pub use source::{Place, Source, Span};
