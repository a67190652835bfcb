//! Proof obligations: cubes from which runs reach the error, to be excluded at a level.

use super::cube::Cube;
use craig_cfa::{BlockId, LocId};
use craig_logic::{Rat, TermId};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

index_vec::define_index_type! { pub struct ObligationId = u32; }

/// Every state of the cube at the location has a run to the error.
#[derive(Debug, Clone)]
pub struct Obligation {
    pub cube: Cube,
    pub loc: LocId,
    /// The next step of that run: over this block, to a state of that obligation; to the error itself if there is none.
    pub next: (BlockId, Option<ObligationId>),
    /// One of its states: the numbers that the cube speaks of.
    pub state: Rc<[(TermId, Rat)]>,
    /// How often it was met.
    pub met: u32,
}

impl Obligation {
    /// The value of a symbol in the state.
    pub fn value(&self, symbol: TermId) -> Option<&Rat> {
        self.state.iter().find(|(s, _)| *s == symbol).map(|(_, value)| value)
    }
}

/// Obligations that wait, those of the lowest level first.
#[derive(Debug, Default)]
pub struct Queue {
    all: IndexVec<ObligationId, Obligation>,
    known: FxHashMap<(LocId, Cube), ObligationId>,
    waiting: BinaryHeap<Reverse<(u32, usize, u32, ObligationId)>>,
    /// Among those of a level the smallest cube first (technique `order`), otherwise the newest.
    smallest_first: bool,
    pushed: u32,
    /// Met at the highest level so far: they have to be at the next one as well.
    later: Vec<ObligationId>,
}

impl Queue {
    pub fn new(smallest_first: bool) -> Queue {
        Queue { smallest_first, ..Queue::default() }
    }

    /// Adds an obligation, if it is new, and lets it wait.
    pub fn add(&mut self, obligation: Obligation, level: u32) {
        let key = (obligation.loc, obligation.cube.clone());
        let all = &mut self.all;
        let id = *self.known.entry(key).or_insert_with(|| all.push(obligation));
        self.push(id, level);
    }

    pub fn push(&mut self, id: ObligationId, level: u32) {
        let size = if self.smallest_first { self.all[id].cube.len() } else { 0 };
        self.pushed += 1;
        self.waiting.push(Reverse((level, size, u32::MAX - self.pushed, id)));
    }

    /// Lets an obligation wait until there is a higher level.
    pub fn postpone(&mut self, id: ObligationId) {
        self.later.push(id);
    }

    /// There is a higher level.
    pub fn rise(&mut self, level: u32) {
        for id in std::mem::take(&mut self.later) {
            self.push(id, level);
        }
    }

    /// The next one with its level.
    pub fn pop(&mut self) -> Option<(ObligationId, u32)> {
        let Reverse((level, _, _, id)) = self.waiting.pop()?;
        Some((id, level))
    }

    pub fn get(&self, id: ObligationId) -> &Obligation {
        &self.all[id]
    }

    pub fn get_mut(&mut self, id: ObligationId) -> &mut Obligation {
        &mut self.all[id]
    }

    /// All that there ever were.
    #[cfg(test)]
    pub fn iter(&self) -> impl Iterator<Item = &Obligation> {
        self.all.iter()
    }

    /// How many there ever were.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The blocks of the run to the error that an obligation stands for.
    pub fn run(&self, mut id: ObligationId) -> Vec<BlockId> {
        let mut blocks = Vec::new();
        loop {
            let (block, next) = self.all[id].next;
            blocks.push(block);
            match next {
                Some(next) => id = next,
                None => return blocks,
            }
        }
    }
}
