//! `core`, beyond the paper: what the solver did not need goes first.
//!
//! Definition: a step into the cube was refuted with the literals of the cube as assumptions. Those outside the unsatisfiable core are dropped without a question each.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;

/// The literals of the cube that the core has; for a loop the lemma has what other edges need anyway.
pub fn reduce(engine: &mut Engine<'_>, core: &Cube, cube: Cube) -> Cube {
    engine.tallies.tried(Technique::Core);
    let fewer = cube.filter(|l| core.contains(l));
    if fewer.len() < cube.len() {
        engine.tallies.hit(Technique::Core, cube.len() - fewer.len());
    }
    fewer
}
