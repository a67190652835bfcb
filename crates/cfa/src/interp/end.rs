//! What a run ended with.

use super::trace::Trace;
use crate::program::{CallString, EdgeId};
use craig_base::{Span, Stop};
use std::fmt;

/// A finished run.
#[derive(Debug, Clone)]
pub struct Run {
    pub end: RunEnd,
    /// The edge that was being executed at the end; `None` if nothing was executed.
    pub at: Option<At>,
    /// Edges executed.
    pub steps: u64,
    /// Calls that were open at the end, and the most that ever were.
    pub depth: usize,
    pub max_depth: usize,
    /// The call edges of the source program that lead to the end, outermost first; only the innermost ones if there are very many.
    pub stack: Vec<EdgeId>,
    pub trace: Trace,
}

/// An edge, in the terms of the program that ran and of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// Edge of the program that ran.
    pub edge: EdgeId,
    /// Edge of the source program, and the calls it was inlined through.
    pub origin: EdgeId,
    pub calls: CallString,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// The error location was reached.
    Error,
    /// The entry returned, or `exit` was called. The status is that of `exit` or of an entry that returns an integer.
    Ended {
        status: Option<i128>,
    },
    /// No edge could be taken: an assumption does not hold.
    Blocked,
    /// `abort`.
    Aborted,
    /// The program did what its language leaves undefined; with what exactly, in words.
    Undefined(Undefined, String),
    /// An operation that is not modelled was reached, named by its construct.
    Unsupported(String),
    Limit(Limit),
    /// Who looked at it wanted it to end.
    Watched,
    /// The budget ended.
    Stopped(Stop),
    /// What the program prints could not be written.
    Output(String),
    /// The program is not well-formed: a bug of whoever made it, or of the interpreter.
    Internal(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Steps,
    Depth,
    Memory,
}

/// Kinds of undefined behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Undefined {
    NullDereference,
    OutOfBounds,
    UseAfterFree,
    UseAfterReturn,
    /// An address where there never was an object, or that of a function.
    InvalidPointer,
    InvalidFree,
    SignedOverflow,
    DivisionByZero,
    ShiftAmount,
    FloatToInt,
    OverlappingCopy,
    /// `printf` with a format that C does not define.
    Format,
    /// What the front end marked as undefined, such as a call through a null pointer.
    Marked,
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Undefined::NullDereference => "null dereference",
            Undefined::OutOfBounds => "access out of bounds",
            Undefined::UseAfterFree => "use after free",
            Undefined::UseAfterReturn => "use of a local variable after its function returned",
            Undefined::InvalidPointer => "invalid pointer",
            Undefined::InvalidFree => "invalid free",
            Undefined::SignedOverflow => "signed overflow",
            Undefined::DivisionByZero => "division by zero",
            Undefined::ShiftAmount => "shift amount out of range",
            Undefined::FloatToInt => "conversion of a float out of range",
            Undefined::OverlappingCopy => "memcpy of overlapping objects",
            Undefined::Format => "invalid format",
            Undefined::Marked => "undefined behaviour",
        })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Steps => "step limit",
            Limit::Depth => "limit of call depth",
            Limit::Memory => "memory limit of the interpreter",
        })
    }
}

impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunEnd::Error => f.write_str("reached the error"),
            RunEnd::Ended { status: Some(status) } => write!(f, "ended with status {status}"),
            RunEnd::Ended { status: None } => f.write_str("ended"),
            RunEnd::Blocked => f.write_str("stopped at an assumption that does not hold"),
            RunEnd::Aborted => f.write_str("aborted"),
            RunEnd::Undefined(kind, text) if text.is_empty() => write!(f, "{kind}"),
            RunEnd::Undefined(kind, text) => write!(f, "{kind}: {text}"),
            RunEnd::Unsupported(what) => write!(f, "unsupported: {what}"),
            RunEnd::Limit(limit) => write!(f, "{limit}"),
            RunEnd::Watched => f.write_str("ended by its watcher"),
            RunEnd::Stopped(stop) => write!(f, "{stop}"),
            RunEnd::Output(error) => write!(f, "output failed: {error}"),
            RunEnd::Internal(text) => write!(f, "internal error: {text}"),
        }
    }
}

/// The end of a run, on its way out of whatever was being evaluated.
pub(super) type Halted = Box<RunEnd>;
pub(super) type R<T> = Result<T, Halted>;

pub(super) fn undefined<T>(kind: Undefined, text: impl Into<String>) -> R<T> {
    Err(Box::new(RunEnd::Undefined(kind, text.into())))
}

pub(super) fn unsupported<T>(what: impl Into<String>) -> R<T> {
    Err(Box::new(RunEnd::Unsupported(what.into())))
}

pub(super) fn internal<T>(text: impl Into<String>) -> R<T> {
    Err(Box::new(RunEnd::Internal(text.into())))
}
