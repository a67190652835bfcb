//! Random Remopla programs, and what they mean.
//!
//! | module | holds |
//! |---|---|
//! | [`tree`] | a program as a tree that prints itself |
//! | `make` | the generator of programs with modules, with rules beside their statements or without |
//! | `rules` | the generator of programs that are rules of a pushdown system |
//! | `shrink` | from a program that shows a mistake to a small one that still does |
//! | [`explicit`] | which programs reach their error, by looking at every state |
//!
//! Data have few bits, so that [`explicit`] comes to an end. It reads the tree, as `docs/remopla.md` says, and shares nothing with the front
//! end and the engines that it judges.

pub mod explicit;
mod make;
mod rules;
mod shrink;
pub mod tree;

pub use explicit::{Reading, Search, search};
pub use make::{generate, generate_ruled};
pub use rules::generate_rules;
pub use shrink::shrink;
pub use tree::Program;
