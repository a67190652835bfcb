//! Options that several engines have. An engine declares its own ones in its own module and takes these in.

use crate::explain::Heuristics;
use clap::{Args, ValueEnum};
use craig_cfa::{BlockEnd, Blocks};
use craig_smt::interpolate::Method;

/// Options of engines that abstract from block to block and refine along paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct RefinementOptions {
    #[command(flatten)]
    pub blocks: BlockOptions,

    /// How infeasible paths are explained
    #[arg(long, value_enum, value_name = "METHOD", default_value_t)]
    pub interpolation: Interpolation,

    /// What is done beyond the papers when a path is explained: `on`, `off`, or a list of names; `-` before a name leaves one out of all
    #[arg(long, value_name = "LIST", default_value_t, allow_hyphen_values = true)]
    pub heuristics: Heuristics,
}

impl From<Blocks> for RefinementOptions {
    fn from(blocks: Blocks) -> Self {
        RefinementOptions { blocks: blocks.into(), ..RefinementOptions::default() }
    }
}

/// What blocks are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct BlockOptions {
    /// What one step of the abstraction is: an operation, all that leads from one loop head to the next, or blocks formed on the way
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    pub blocks: BlockKind,

    /// Where adjustable blocks end: `loop` heads, `loop+call`, or after so many operations
    #[arg(long, value_name = "WHERE", default_value_t)]
    pub block_end: BlockEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum BlockKind {
    Single,
    Large,
    #[default]
    Adjustable,
}

impl BlockOptions {
    pub fn kind(self) -> Blocks {
        match self.blocks {
            BlockKind::Single => Blocks::Single,
            BlockKind::Large => Blocks::Large,
            BlockKind::Adjustable => Blocks::Adjustable(self.block_end),
        }
    }
}

impl From<Blocks> for BlockOptions {
    fn from(blocks: Blocks) -> Self {
        let (blocks, block_end) = match blocks {
            Blocks::Single => (BlockKind::Single, BlockEnd::default()),
            Blocks::Large => (BlockKind::Large, BlockEnd::default()),
            Blocks::Adjustable(end) => (BlockKind::Adjustable, end),
        };
        BlockOptions { blocks, block_end }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Interpolation {
    /// By all methods, each where it is best
    #[default]
    Layers,
    /// From one refutation of the whole path
    Proof,
    /// From weighted sums of linear facts
    Farkas,
    /// By Z3's engine for Horn clauses
    Spacer,
    /// The strongest: what came before, other symbols eliminated
    Strongest,
    /// The weakest: what comes behind, other symbols eliminated
    Weakest,
}

impl Interpolation {
    /// The one method to use; `None`: all that there are.
    pub fn method(self) -> Option<Method> {
        match self {
            Interpolation::Layers => None,
            Interpolation::Proof => Some(Method::Proof),
            Interpolation::Farkas => Some(Method::Farkas),
            Interpolation::Spacer => Some(Method::Spacer),
            Interpolation::Strongest => Some(Method::Strongest),
            Interpolation::Weakest => Some(Method::Weakest),
        }
    }
}

/// What abstract states are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Abstraction {
    /// Conjunctions of predicates and negated ones (not `pushdown`)
    Cartesian,
    /// All Boolean combinations
    #[default]
    Boolean,
    /// Nothing is abstracted: the system itself is searched (`pushdown` only)
    Off,
}

/// Whether labels are strengthened along a path so that what is known elsewhere takes care of its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ForcedCovering {
    #[default]
    On,
    Off,
}
