//! `context`: generalisations are remembered and used again.
//!
//! Definition (IC3CFA, generalisation context): if `g` was enough to exclude a cube over an edge `e` in a frame `F`, it is enough for every cube that contains `g`, over `e`, in every
//! frame that implies `F`. Without the technique only for the very same cube.
//!
//! Frames are compared by level and time: at the same location, at most the level of then, and later. Frames only get stronger, and those of lower levels are
//! stronger; comparing their lemmas would go wrong once one that others make needless is deleted. Over a loop `g` was shown under the hypothesis that the state before is not in the lemma
//! of then: that lemma is what is remembered, and it must be the lemma now, so it has to contain what the other edges need.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::generalise::Entered;
use craig_cfa::BlockId;
use rustc_hash::FxHashMap;

/// So many are remembered for a block, the newest.
const KEPT: usize = 200;

#[derive(Debug)]
pub struct Context {
    pub cube: Cube,
    pub level: u32,
    pub enough: Cube,
    /// Questions that it took.
    asked: usize,
}

#[derive(Debug, Default)]
pub struct Contexts {
    by_block: FxHashMap<BlockId, Vec<Context>>,
}

impl Contexts {
    pub fn of(&self, block: BlockId) -> impl DoubleEndedIterator<Item = &Context> {
        self.by_block.get(&block).into_iter().flatten()
    }
}

pub fn note(engine: &mut Engine<'_>, entered: Entered<'_>, enough: &Cube) {
    let enough = if entered.loops { enough.union(entered.others) } else { enough.clone() };
    let known = engine.contexts.by_block.entry(entered.barred.block).or_default();
    if known.len() >= KEPT {
        known.remove(0);
    }
    let asked = entered.cube.len();
    known.push(Context { cube: entered.cube.clone(), level: entered.level, enough, asked });
}

/// What is enough to exclude the cube over the edge, if it is remembered.
pub fn find(engine: &mut Engine<'_>, entered: Entered<'_>) -> Option<Cube> {
    let general = engine.on.has(Technique::Context);
    engine.tallies.tried(Technique::Context);
    let fits = |context: &&Context| {
        context.level >= entered.level
            && if general { context.enough.is_within(entered.cube) } else { context.cube == *entered.cube }
            && (!entered.loops || entered.others.is_within(&context.enough))
    };
    let found = engine.contexts.of(entered.barred.block).rev().find(fits)?;
    let (enough, asked) = (found.enough.clone(), found.asked);
    engine.tallies.hit(Technique::Context, asked);
    Some(enough)
}

/// What excludes the cube over an edge that is no loop, so that the question need not be asked.
pub fn exact(engine: &mut Engine<'_>, block: BlockId, cube: &Cube, level: u32) -> Option<Cube> {
    let (from, to) = (engine.bench.graph.block(block).from, engine.bench.graph.block(block).to);
    if from == to || !engine.on.has(Technique::Context) {
        return None;
    }
    let fits = |context: &&Context| context.level >= level && context.enough.is_within(cube);
    let enough = engine.contexts.of(block).rev().find(fits)?.enough.clone();
    engine.tallies.tried(Technique::Context);
    engine.tallies.hit(Technique::Context, 1);
    Some(enough)
}
