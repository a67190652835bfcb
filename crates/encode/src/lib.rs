//! Operations to terms.
//!
//! | module | holds |
//! |---|---|
//! | [`memory`] | where values live: points-to analysis, cells, addresses |
//! | [`state`] | the state of a program as terms |
//! | [`part`] | what encoding one piece of program collects: constraints, fresh symbols |
//! | [`range`] | bounds of expressions, which spare case splits |
//! | [`int`], [`bv`] | machine arithmetic on mathematical integers and on bit-vectors |
//! | `sites` | addresses that nobody knows |
//! | `access` | reading and writing cells |
//! | `expr` | expressions |
//! | [`encoder`] | operations |
//! | `regions` | aggregates and ranges of bytes |
//! | [`block`] | blocks: all paths through an acyclic piece of program |

mod access;
pub mod block;
pub mod bv;
pub mod encoder;
mod expr;
pub mod int;
pub mod memory;
pub mod part;
pub mod range;
mod regions;
mod sites;
pub mod state;

pub use block::{Encoded, Joined, Joins, NotEncoded, Taken};
pub use encoder::{Chosen, Effect, Encoder, Uninlined};
pub use memory::Layout;
pub use part::Part;
pub use state::State;

/// How machine integers are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Arith {
    /// As mathematical integers; unsigned operations and conversions wrap around exactly, signed ones are taken not to overflow.
    #[default]
    Int,
    /// As bit-vectors: everything wraps around.
    Bv,
}

impl Arith {
    /// As options and certificates write it.
    pub fn name(self) -> &'static str {
        match self {
            Arith::Int => "int",
            Arith::Bv => "bv",
        }
    }
}

/// How a program is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    pub arith: Arith,
    /// Signed operations wrap around, in integer arithmetic too.
    pub signed_wrap: bool,
}
