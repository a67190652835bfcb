//! Passes from program to program.
//!
//! | pass | does |
//! |---|---|
//! | [`overflow`] | makes every signed overflow an error |
//! | [`inline`] | puts bodies in place of calls that are not recursive |
//! | [`fold`] | folds constants, removes edges that do nothing |
//! | [`prune`] | cuts what control cannot reach and what cannot reach the error |
//! | [`cone`] | drops operations that no assumption depends on |
//! | [`summarise`] | large blocks |
//! | [`prepare`] | all of these in their order |
//!
//! A pass takes a program and returns a new one with its own ids. The map back is in the program: locations, edges and variables carry
//! their origin in the program that the front end made (see [`crate::program`]). Procedures keep their ids. Every pass but the
//! first keeps whether the error can be reached, and by which choices. Blocks come last: the other passes take programs without them.

mod compact;
pub mod cone;
pub mod fold;
pub mod inline;
pub mod overflow;
pub mod prepare;
pub mod prune;
pub mod rewrite;
pub mod summarise;

pub use cone::cone;
pub use fold::{Folded, fold};
pub use inline::{Inlined, Kept, TooLarge, inline};
pub use overflow::overflow;
pub use prepare::{Blocks, PrepareOptions, Prepared, prepare};
pub use prune::prune;
pub use summarise::summarise;

#[cfg(test)]
mod tests;
