//! `core`, beyond the paper: what the solver did not need goes first.
//!
//! Definition: a step into the cube was refuted with the literals of the cube as assumptions. Those outside the unsatisfiable core are dropped without a question each.
//!
//! With `relind-wep` the same happens without the technique: the refutation is remembered, so that the questions whether such a literal can be dropped are answered already, and they come before
//! all others.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;

/// The literals of the cube that the core has, where that takes no question; for a loop the lemma has what other edges need anyway.
pub fn reduce(engine: &mut Engine<'_>, core: &Cube, cube: Cube) -> Cube {
    let by = [Technique::Core, Technique::RelindWep].into_iter().find(|t| engine.on.has(*t));
    let Some(by) = by else { return cube };
    engine.tallies.tried(by);
    let fewer = cube.filter(|l| core.contains(l));
    if fewer.len() < cube.len() {
        engine.tallies.hit(by, cube.len() - fewer.len());
    }
    fewer
}
