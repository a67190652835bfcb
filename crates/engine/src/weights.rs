//! Weights of blocks guide the search (RSE, IV.B): the attribute W of [`crate::interp`], and `--order weights` of others.
//!
//! S helps once it is full, so what is still missing for that is to be explored first. A block into a location that became full has the weight 0; one into a last reachable state that is
//! half has 1 and the number of its full successors. A change is propagated once backwards along the path at hand: the weight of a block is the mean (or the largest) of the weights that the blocks
//! behind it have. Blocks without a weight come before those with 0 and after all others; of equals the first in the program.
//!
//! For engines without S nothing but ends of runs is full: what leads to where the last paths ended goes first.

use crate::arg::{SearchOrder, Worklist};
use crate::path::Path;
use crate::refine::Conflict;
use crate::workbench::Workbench;
use clap::ValueEnum;
use craig_cfa::{BlockGraph, BlockId, LocId};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// Where weights come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Weighing {
    /// No weights: in the order of the program
    Off,
    /// Their mean
    #[default]
    Mean,
    /// The largest
    Max,
}

/// 0, then none, then positive.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rank(Option<f64>);

impl Eq for Rank {}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        // Every positive weight is at least a fraction of 1 by far more than this.
        let value = |rank: &Rank| rank.0.unwrap_or(f64::MIN_POSITIVE);
        value(self).total_cmp(&value(other))
    }
}

#[derive(Debug)]
pub struct Weights {
    how: Weighing,
    of: FxHashMap<BlockId, f64>,
}

impl Weights {
    /// Blocks to where runs end, or cannot reach the error any more, are the first to have a weight.
    pub fn new(how: Weighing, bench: &Workbench<'_>, is_full: impl Fn(LocId) -> bool) -> Self {
        let mut weights = Weights { how, of: FxHashMap::default() };
        if how != Weighing::Off {
            let full = bench.graph.blocks().iter_enumerated().filter(|(_, block)| is_full(block.to));
            weights.of.extend(full.map(|(id, _)| (id, 0.0)));
        }
        weights
    }

    /// For a search without S, if its order asks for weights.
    pub fn by(order: SearchOrder, bench: &Workbench<'_>) -> Self {
        let how = if order == SearchOrder::Weights { Weighing::Mean } else { Weighing::Off };
        Weights::new(how, bench, |_| false)
    }

    /// Takes what is next from a worklist; `block` leads to it.
    pub fn next<T>(&self, open: &mut Worklist<T>, block: impl Fn(&T) -> Option<BlockId>) -> Option<T> {
        match self.how {
            Weighing::Off => open.pop(),
            Weighing::Mean | Weighing::Max => {
                open.pop_highest(|item| Rank(block(item).and_then(|b| self.of.get(&b).copied())))
            }
        }
    }

    /// After an infeasible path: `news` are the locations that became full.
    pub fn update(
        &mut self,
        graph: &BlockGraph,
        path: &Path,
        conflict: &Conflict,
        news: &[LocId],
        is_full: impl Fn(LocId) -> bool,
    ) {
        if self.how == Weighing::Off {
            return;
        }
        // Up to the last reachable state: it does not pass the last part of the conflict.
        let path: Vec<BlockId> =
            path.blocks[..*conflict.parts.end()].iter().map(|(block, _)| *block).collect();
        for loc in news {
            self.of.extend(graph.entering(*loc).iter().map(|block| (*block, 0.0)));
        }
        if let Some(last) = path.last() {
            let loc = graph.block(*last).to;
            if !is_full(loc) {
                let full = graph.leaving(loc).iter().filter(|b| is_full(graph.block(**b).to)).count();
                self.of.insert(*last, 1.0 + full as f64);
            }
        }
        for block in path.iter().rev() {
            let to = graph.block(*block).to;
            if is_full(to) {
                continue;
            }
            let behind: Vec<f64> = graph.leaving(to).iter().filter_map(|b| self.of.get(b).copied()).collect();
            if behind.is_empty() || Some(block) == path.last() {
                continue;
            }
            let weight = match self.how {
                Weighing::Max => behind.iter().copied().fold(0.0, f64::max),
                Weighing::Mean | Weighing::Off => behind.iter().sum::<f64>() / behind.len() as f64,
            };
            self.of.insert(*block, weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_weight_lies_between_zero_and_the_rest() {
        let mut ranks = [Rank(Some(1.5)), Rank(None), Rank(Some(0.0)), Rank(Some(0.25))];
        ranks.sort();
        assert_eq!(ranks, [Rank(Some(0.0)), Rank(None), Rank(Some(0.25)), Rank(Some(1.5))]);
    }
}
