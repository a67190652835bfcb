//! Answers for people and for tools.
//!
//! | module | holds |
//! |---|---|
//! | [`text`] | an answer as text: proof or counterexample, assumptions, counters, verdict |
//! | [`page`] | an answer as one page for a browser |
//! | [`json`] | an answer as the object that `--json` prints |
//! | [`reason`] | why there is no verdict, in words |
//! | [`assumption`] | what a verdict leans on |
//! | [`ci`] | several programs for continuous integration: SARIF, JUnit, problem lines, a table |
//! | [`clauses`] | formulas for people, condition by condition |
//! | [`contract`] | what a proof says of procedures, as C |
//! | [`contradiction`] | runs that are at odds with a proof |
//! | [`counterexample`] | runs as source lines |
//! | [`explain`] | what the words of an answer mean |
//! | [`harness`] | a run as a C file that gives the program its inputs |
//! | [`invariant`] | the formulas of a proof as C |
//! | [`value`] | values as C writes them |

pub mod assumption;
pub mod ci;
pub mod clauses;
pub mod contract;
pub mod contradiction;
pub mod counterexample;
pub mod explain;
pub mod harness;
pub mod invariant;
pub mod json;
pub mod page;
pub mod reason;
pub mod text;
pub mod value;

use std::time::Duration;

/// What an answer cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    pub wall: Duration,
    pub cpu: Duration,
    pub peak_bytes: u64,
}
