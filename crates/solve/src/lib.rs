//! From a program to an answer: load, prepare, choose, run, judge.
//!
//! | module | holds |
//! |---|---|
//! | [`answer`] | a verdict, how it was found, and what it leans on |
//! | [`exchange`] | witnesses in the format that tools of SV-COMP exchange |
//! | [`ledger`](mod@ledger) | all that a verdict leans on |
//! | [`strategy`] | which engines run, in which arithmetic, and how their answers become one |
//! | [`turns`] | several engines that take turns |
//! | [`witness`] | from an answer to a witness file and back |
//!
//! The command line, fuzzing and the tests of the engines all go through here.

pub mod answer;
mod depth;
pub mod exchange;
pub mod ledger;
mod search;
pub mod strategy;
pub mod turns;
pub mod witness;

pub use answer::{Answer, Attempt};
pub use craig_frontend::{LoadError, Loaded, Property, Reading, load};
pub use ledger::{Assumption, ledger};
pub use strategy::{Arithmetic, Checking, Plan, solve, solve_aloud};
