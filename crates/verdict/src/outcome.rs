//! What an engine answers.

use crate::certificate::Certificate;
use craig_base::{Span, Stop};
use craig_cfa::interp::Value;
use craig_cfa::{CallString, EdgeId, Name};
use craig_encode::Arith;
use std::fmt;

#[derive(Debug)]
pub enum Outcome {
    Safe(Certificate),
    Unsafe(Trace),
    Unknown(Reason),
}

/// An execution that reaches the error, as edges of the source program.
#[derive(Debug, Clone)]
pub struct Trace {
    pub arith: Arith,
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone)]
pub struct Step {
    pub origin: EdgeId,
    pub calls: CallString,
    pub choices: Vec<Choice>,
}

/// A value that the execution chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Byte offset in the chosen object, and bit for bit-fields.
    pub offset: u64,
    pub bit: u8,
    /// Bytes for the content of fresh memory.
    pub value: Value,
}

/// Why there is no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    Stopped(Stop),
    /// A path needs an operation that is not modelled.
    Unsupported(Name, Span),
    /// A procedure is called that cannot be inlined.
    Recursion(Name),
    /// More operations after inlining than allowed.
    InlineLimit(usize),
    /// No new facts were found to rule out a path that is no execution.
    Refinement(String),
    /// The solver gave up; in its own words.
    Solver(String),
    /// The trace of the engine is not an execution of the program; what the interpreter found instead, and where.
    NotReplayed(String, Option<Span>),
    /// The certificate does not prove the program safe.
    Certificate(String),
    /// A bug of ours.
    Internal(String),
}

/// Why a question that the solver did not answer ends an engine.
impl From<craig_smt::Reason> for Reason {
    fn from(reason: craig_smt::Reason) -> Reason {
        match reason {
            craig_smt::Reason::Stopped(stop) => Reason::Stopped(stop),
            craig_smt::Reason::GaveUp(words) => Reason::Solver(words),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Stopped(stop) => write!(f, "{stop}"),
            Reason::Unsupported(what, _) => write!(f, "unsupported: {what}"),
            Reason::Recursion(name) => write!(f, "recursion: {name}"),
            Reason::InlineLimit(ops) => write!(f, "inline-limit: {ops} operations"),
            Reason::Refinement(what) => write!(f, "refinement: {what}"),
            Reason::Solver(words) => write!(f, "solver: {words}"),
            Reason::NotReplayed(what, _) => write!(f, "not replayed: {what}"),
            Reason::Certificate(what) => write!(f, "certificate: {what}"),
            Reason::Internal(what) => write!(f, "internal: {what}"),
        }
    }
}
