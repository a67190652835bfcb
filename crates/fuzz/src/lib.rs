//! Random programs against each other's readings: the interpreter, the encoding, the engines.
//!
//! | module | holds |
//! |---|---|
//! | [`path`] | a run of the interpreter must satisfy its encoded path, and nothing else may |
//! | [`places`] | layouts of memory by chance |
//! | [`engine`] | what engines answer against runs of the interpreter and against each other |
//! | [`driver`] | many programs; what fails is made small |
//! | [`recursive`] | recursive C programs and all engines that there are for them |
//! | [`remopla`] | Remopla programs and the engine for pushdown systems |
//!
//! The programs come from `craig-testgen`. The interpreter shares no code with the encoding, so a mistake in one of
//! them shows as a disagreement (ARCHITECTURE.md, invariants).

pub mod driver;
pub mod engine;
pub mod path;
pub mod places;
pub mod recursive;
pub mod remopla;

pub use driver::{Checks, Failure, Kind, Tally};
