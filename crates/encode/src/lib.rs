//! Operations to terms.
//!
//! | module | holds |
//! |---|---|
//! | [`memory`] | where values live: points-to analysis, cells, regions, addresses |
//! | [`part`] | what encoding one piece of program collects: constraints, fresh symbols |
//! | [`range`] | bounds of expressions, which spare case splits |
//! | [`int`], [`bv`] | machine arithmetic on mathematical integers and on bit-vectors |

pub mod bv;
pub mod int;
pub mod memory;
pub mod part;
pub mod range;

/// How machine integers are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Arith {
    /// As mathematical integers; unsigned operations and conversions wrap around exactly, signed ones are taken not to overflow.
    #[default]
    Int,
    /// As bit-vectors: everything wraps around.
    Bv,
}
