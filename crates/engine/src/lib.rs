//! The engines.
//!
//! | module | holds |
//! |---|---|
//! | [`run`] | what engines get and give: options, progress, statistics |
//! | [`bmc`] | bounded model checking by unrolling the summarised automaton |
//! | [`predicate`] | lazy predicate abstraction with single, large and adjustable blocks |
//! | [`slicing`] | slicing abstraction: nodes of the block graph split by path interpolants |
//! | [`impact`] | lazy abstraction with interpolants |
//! | [`blocks`] | blocks of a program and their formulas |
//! | [`arg`] | abstract reachability trees |
//! | [`precision`] | predicates, and which count where |
//! | [`discrete`] | variables that take few values |
//! | [`tuples`] | interpolants that name the values of such variables |
//! | [`drift`] | bounds that count on, and relations that would stop them |
//! | [`refine`] | paths: feasibility, interpolants |
//! | [`trace`] | from a model to an execution |
//! | [`certificate`] | formulas of an engine as a certificate of the source program |

pub mod arg;
pub mod blocks;
pub mod bmc;
pub mod certificate;
pub mod discrete;
pub mod drift;
pub mod impact;
pub mod precision;
pub mod predicate;
pub mod refine;
pub mod run;
pub mod slicing;
pub mod trace;
pub mod tuples;

pub use run::{Observer, Progress, RunOptions, Stats};
