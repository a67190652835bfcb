//! Random programs: C and Remopla for tests, integer programs in Boogie and C for measurements.
//!
//! A crate of its own and without dependencies, so that the tests of every other crate can use it.
//!
//! | module | holds |
//! |---|---|
//! | [`tree`] | a program as a tree that prints itself |
//! | [`rng`] | the random numbers |
//! | [`types`] | types of the programs |
//! | [`generate`](mod@generate) | the generator |
//! | `expr`, `stmt`, `memory` | its expressions and statements, and those about memory as bytes and addresses |
//! | [`integers`] | small programs over integers, in Boogie and C, as SLICE measured them |
//! | [`recursive`] | small C programs whose procedures call themselves and each other |
//! | [`remopla`] | Remopla programs, and which of them reach their error |
//! | [`shrink`](mod@shrink) | from a program that shows a mistake to a small one that still does |

mod expr;
pub mod generate;
pub mod integers;
mod memory;
pub mod recursive;
pub mod remopla;
pub mod rng;
pub mod shrink;
mod stmt;
pub mod tree;
pub mod types;

pub use generate::{Size, generate};
pub use shrink::shrink;
pub use tree::Program;
