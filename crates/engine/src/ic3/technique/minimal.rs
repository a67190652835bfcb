//! `minimal`: literals that an earlier generalisation could not do without are not tried again.
//!
//! Definition (IC3CFA, minimal generalisation): if `g` was minimal for a cube over an edge in a frame, then in a weaker frame every generalisation of that cube contains `g`.
//!
//! That is false, even for the frames it is stated for: over an edge that does nothing, `{x = 1, y = 1}` becomes `{x = 1}` in the frame `x != 1 and y != 1`, and in the weaker frame `y != 1`
//! only `{y = 1}` will do. So it is a hint: what it says is not tried, and what is dropped is still asked for. A hint can make a lemma larger than necessary, never wrong.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use crate::ic3::generalise::Entered;

/// Literals of the cube that are taken to be necessary.
pub fn hint(engine: &Engine<'_>, entered: Entered<'_>) -> Option<Cube> {
    if !engine.on.has(Technique::Minimal) {
        return None;
    }
    let weaker = |level: u32| level <= entered.level;
    let mut known = engine.contexts.of(entered.barred.block).rev();
    let found = known.find(|c| weaker(c.level) && c.cube == *entered.cube)?;
    Some(found.enough.clone())
}
