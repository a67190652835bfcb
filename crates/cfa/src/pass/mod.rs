//! Passes from program to program.
//!
//! | pass | does |
//! |---|---|
//! | [`inline`] | puts bodies in place of calls that are not recursive |
//! | [`prune`] | cuts what control cannot reach and what cannot reach the error |
//! | [`summarise`] | large blocks |
//!
//! A pass takes a program and returns a new one with its own ids. The map back is in the program: locations, edges and variables carry
//! their origin in the program that the front end made (see [`crate::program`]). Procedures keep their ids. Every pass keeps
//! whether the error can be reached, and by which choices.

mod compact;
pub mod inline;
pub mod prune;
pub(crate) mod rewrite;
pub mod summarise;

pub use inline::inline;
pub use prune::prune;
pub use summarise::summarise;

#[cfg(test)]
mod tests;
