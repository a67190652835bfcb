//! The front end against gcc: constants and types of expressions, layout, headers.
//!
//! Random texts come from a fixed seed; a failure names it. `CRAIG_TEST_SEED` and `CRAIG_TEST_ROUNDS` in the environment give
//! another seed and more rounds.

mod expressions;
mod headers;
mod initialisers;
mod layouts;
#[path = "../support/mod.rs"]
mod support;
