//! `init`: no run is at a location before it can be there.
//!
//! Definition (IC3CFA, improved initialisation): with `d` the least number of edges from the entry to `l`, `F(i, l)` is empty for `i < d`. Without the technique only `F(0, l)` is.

use super::Technique;
use crate::ic3::Engine;
use crate::ic3::cube::Cube;
use craig_cfa::LocId;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;

/// The frames to begin with.
pub fn begin(engine: &mut Engine<'_>) {
    let entry = engine.bench.entry();
    let graph = std::sync::Arc::clone(&engine.bench.graph);
    let mut distances: FxHashMap<LocId, u32> = FxHashMap::from_iter([(entry, 0)]);
    let mut open = VecDeque::from([entry]);
    let mut order = Vec::new();
    while let Some(loc) = open.pop_front() {
        let distance = distances[&loc];
        for block in graph.leaving(loc) {
            let to = graph.block(*block).to;
            if let Entry::Vacant(new) = distances.entry(to) {
                new.insert(distance + 1);
                open.push_back(to);
                order.push(to);
            }
        }
    }
    for loc in order {
        let distance = distances[&loc];
        let known = if engine.on.has(Technique::Init) { distance - 1 } else { 0 };
        engine.tallies.tried(Technique::Init);
        if known > 0 {
            engine.tallies.hit(Technique::Init, graph.entering(loc).len());
        }
        if loc != engine.bench.program().error {
            engine.frames.add(loc, Cube::all(), known);
        }
    }
}
