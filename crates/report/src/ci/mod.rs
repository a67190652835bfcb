//! Verdicts on several programs for continuous integration.
//!
//! | module | holds |
//! |---|---|
//! | [`sarif`] | SARIF 2.1.0: results with the steps of their executions |
//! | [`junit`] | JUnit XML: a test case for each program |
//! | [`github`] | problem lines as workflows of GitHub read them |
//! | [`table`] | a table for people |
//!
//! All of them are written from [`Finding`]s, one a program, in the order of the programs.

pub mod github;
pub mod junit;
pub mod sarif;
pub mod table;

use crate::assumption::{Assumption, assumptions};
use crate::counterexample::{self, Row};
use crate::{Cost, reason};
use craig_base::{Diagnostic, Source, Span, Stop};
use craig_solve::{Answer, Reading};
use craig_verdict::Verdict;
use std::time::Duration;

/// What is told of one program.
#[derive(Debug, Clone)]
pub struct Finding {
    /// As it was named.
    pub file: String,
    pub property: String,
    pub outcome: Outcome,
    pub assumptions: Vec<Assumption>,
    pub wall: Duration,
}

#[derive(Debug, Clone)]
pub enum Outcome {
    Safe,
    Unsafe {
        /// The error.
        at: Place,
        steps: Vec<Row>,
    },
    Unknown {
        reason: String,
        key: &'static str,
        at: Option<Place>,
    },
    /// It is no program.
    Rejected(Vec<(String, Option<Place>)>),
}

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Place {
    pub fn of(source: &Source, span: Span) -> Place {
        let position = source.position(span);
        Place { file: position.file.into(), line: position.line, column: position.column }
    }
}

impl Finding {
    pub fn of(file: &str, answer: &Answer, cost: &Cost) -> Finding {
        let (program, source) = (&answer.source, &answer.source.source);
        let outcome = match &answer.verdict {
            Verdict::Safe(..) => Outcome::Safe,
            Verdict::Unsafe(_, run) => {
                let last = run.trace.steps.back().map(|step| program.edges[step.edge].span);
                let steps = counterexample::shown(counterexample::rows(program, run), false).0;
                Outcome::Unsafe { at: Place::of(source, last.unwrap_or_default()), steps }
            }
            Verdict::Unknown(why) => Outcome::Unknown {
                reason: reason::words(why),
                key: why.key(),
                at: why.span().map(|span| Place::of(source, span)),
            },
        };
        Finding {
            file: file.into(),
            property: answer.reading.property.to_string(),
            outcome,
            assumptions: assumptions(answer),
            wall: cost.wall,
        }
    }

    pub fn stopped(file: &str, reading: &Reading, stop: Stop, cost: &Cost) -> Finding {
        let key = craig_verdict::Reason::Stopped(stop).key();
        let outcome = Outcome::Unknown { reason: stop.to_string(), key, at: None };
        Finding { outcome, ..Finding::empty(file, reading, cost) }
    }

    pub fn rejected(
        file: &str,
        reading: &Reading,
        source: Option<&Source>,
        diagnostics: &[Diagnostic],
        cost: &Cost,
    ) -> Finding {
        let place = |span: Span| source.map(|source| Place::of(source, span));
        let told = |wrong: &Diagnostic| (wrong.message.clone(), wrong.span.and_then(place));
        let outcome = Outcome::Rejected(diagnostics.iter().map(told).collect());
        Finding { outcome, ..Finding::empty(file, reading, cost) }
    }

    fn empty(file: &str, reading: &Reading, cost: &Cost) -> Finding {
        Finding {
            file: file.into(),
            property: reading.property.to_string(),
            outcome: Outcome::Safe,
            assumptions: Vec::new(),
            wall: cost.wall,
        }
    }

    pub fn verdict(&self) -> &'static str {
        match &self.outcome {
            Outcome::Safe => "SAFE",
            Outcome::Unsafe { .. } => "UNSAFE",
            Outcome::Unknown { .. } => "UNKNOWN",
            Outcome::Rejected(_) => "REFUSED",
        }
    }

    /// One line for people.
    pub fn message(&self) -> String {
        let property = &self.property;
        match &self.outcome {
            Outcome::Safe => format!("The error cannot be reached ({property}): proved and checked."),
            Outcome::Unsafe { .. } => {
                format!("The error can be reached ({property}): the execution was replayed.")
            }
            Outcome::Unknown { reason, .. } => format!("Not decided ({property}): {reason}."),
            Outcome::Rejected(wrong) => {
                let first = wrong.first().map_or("it cannot be read", |(message, _)| message);
                format!("This is no program: {first}.")
            }
        }
    }

    /// Where that is.
    pub fn place(&self) -> Option<&Place> {
        match &self.outcome {
            Outcome::Safe => None,
            Outcome::Unsafe { at, .. } => Some(at),
            Outcome::Unknown { at, .. } => at.as_ref(),
            Outcome::Rejected(wrong) => wrong.first().and_then(|(_, at)| at.as_ref()),
        }
    }
}

/// An assumption as a sentence.
pub(crate) fn assumed(assumption: &Assumption) -> String {
    let line = assumption.line.map(|line| format!(" in line {line}")).unwrap_or_default();
    format!("Assumed: {}{line}.", assumption.text)
}
