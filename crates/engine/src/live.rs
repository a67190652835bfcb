//! Where slots of the state are live.
//!
//! A slot is live at a location if a block that reads it can be reached from there before it is overwritten; what an assumption reads
//! counts, and what the value of another slot is made of. A slot that a block overwrites on some of its ways only is read by it: its term
//! behind the block speaks of the slot. So a local variable is live between its first write and its last read, which is where it is
//! visible, and no more has to be known of its owner.
//!
//! Not asked: whether what is made of a read value matters later. That takes a walk through the terms of every changed slot of every
//! block, not one through each block.

use crate::workbench::Workbench;
use craig_cfa::{BlockId, LocId};
use craig_verdict::Reason;
use index_vec::IndexVec;

/// Sets of slots as words of bits.
type Set = Vec<u64>;

#[derive(Debug)]
pub struct Live {
    /// Empty for locations where no block begins.
    at: IndexVec<LocId, Set>,
}

impl Live {
    /// Makes the formulas of all blocks.
    pub fn new(bench: &mut Workbench<'_>) -> Result<Live, Reason> {
        let words = bench.slots.symbols.len().div_ceil(64);
        let mut at: IndexVec<LocId, Set> = bench.program().locs.iter().map(|_| Set::new()).collect();
        let mut steps = Vec::new();
        for id in bench.graph.blocks().indices().rev() {
            let (from, to) = (bench.graph.block(id).from, bench.graph.block(id).to);
            let (reads, kept) = step(bench, id, words)?;
            at[from].resize(words, 0);
            union(&mut at[from], &reads);
            steps.push((from, to, kept));
        }
        // Later blocks come first, so that only loops take another round.
        let mut changed = true;
        while changed {
            changed = false;
            for (from, to, kept) in &steps {
                if from != to && !at[*to].is_empty() {
                    let passed: Set = at[*to].iter().zip(kept).map(|(live, kept)| live & kept).collect();
                    changed |= union(&mut at[*from], &passed);
                }
            }
        }
        Ok(Live { at })
    }

    /// The locations where one of the slots is live.
    pub fn locations<'a>(&'a self, slots: &'a [u32]) -> impl Iterator<Item = LocId> + 'a {
        let live = |set: &Set| slots.iter().any(|s| set[*s as usize / 64] >> (s % 64) & 1 == 1);
        self.at.iter_enumerated().filter(move |(_, set)| !set.is_empty() && live(set)).map(|(loc, _)| loc)
    }
}

/// The slots that a block reads, and those that it leaves alone.
fn step(bench: &mut Workbench<'_>, block: BlockId, words: usize) -> Result<(Set, Set), Reason> {
    let formula = match bench.formula(block) {
        Ok(formula) => formula,
        // Nobody may ever come there.
        Err(Reason::Recursion { .. } | Reason::Unsupported { .. }) => {
            return Ok((vec![u64::MAX; words], vec![0; words]));
        }
        Err(why) => return Err(why),
    };
    let (mut reads, mut kept) = (vec![0; words], vec![u64::MAX; words]);
    for slot in &formula.speaks_of {
        reads[*slot as usize / 64] |= 1 << (slot % 64);
    }
    for (slot, _) in &formula.changed {
        kept[*slot as usize / 64] &= !(1 << (slot % 64));
    }
    Ok((reads, kept))
}

/// Adds the second set to the first; whether that changed it.
fn union(set: &mut Set, other: &Set) -> bool {
    let mut changed = false;
    for (word, more) in set.iter_mut().zip(other) {
        changed |= *more & !*word != 0;
        *word |= more;
    }
    changed
}
