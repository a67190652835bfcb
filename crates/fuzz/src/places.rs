//! Layouts of memory by chance: objects side by side or apart, in any order, low and high, one where another was.
//!
//! C leaves open where objects lie, and the encoding knows no more than that. So a run may have any layout, and its path must allow it.

use craig_cfa::interp::{Made, Places};
use craig_cfa::{Op, Program, VarId};
use craig_encode::Layout;
use craig_encode::memory::{ObjectKey, SiteId};
use craig_testgen::rng::Rng;
use std::collections::BTreeMap;

/// Where a run puts objects.
#[derive(Debug, Clone, Default)]
pub struct Placing {
    pub places: Places,
    /// The addresses of the sites that are among them, and of the zone: nobody can tell where that lies.
    pub sites: BTreeMap<SiteId, u64>,
}

/// The place for the next object.
struct Row {
    rng: Rng,
    next: u64,
}

impl Row {
    /// It begins behind an address.
    fn new(program: &Program, behind: u64, seed: u64) -> Row {
        let mut rng = Rng::new(seed);
        let half = 1 << (program.types.model.pointer_bits() - 1);
        // Low, across the middle of the address space, high.
        let next = *rng.pick(&[behind, half - 64, half + 0x100_0000]);
        let next = next.max(behind) + rng.below(4096) as u64;
        Row { rng, next }
    }

    fn place(&mut self, size: u64, align: u64) -> u64 {
        let gap = if self.rng.chance(60) { 0 } else { self.rng.below(100) as u64 };
        let at = (self.next + gap).next_multiple_of(align.max(1));
        self.next = at + size.max(1);
        at
    }

    fn shuffled<T>(&mut self, mut list: Vec<T>) -> Vec<T> {
        for i in (1..list.len()).rev() {
            list.swap(i, self.rng.below(i + 1));
        }
        list
    }
}

/// Objects lie behind this: functions lie below.
const LOWEST: u64 = 0x4_0000;

/// For a program without calls: all that it can tell.
pub fn seen(program: &Program, layout: &Layout, seed: u64) -> Placing {
    let mut placing = Placing::default();
    let zone = layout.sites().iter_enumerated().find(|(_, site)| site.key.is_none());
    placing.sites.extend(zone.map(|(id, _)| (id, LOWEST)));
    let mut row = Row::new(program, LOWEST + zone.map_or(0, |(_, site)| site.size), seed);
    let sites = row.shuffled(layout.sites().indices().collect());
    // What was allocated, and where.
    let mut heap: Vec<(SiteId, u64)> = Vec::new();
    for id in sites {
        let site = &layout.sites()[id];
        let made = match &site.key {
            Some(ObjectKey::Var(origin, calls)) => {
                let is_it = |v: &VarId| {
                    let var = &program.vars[*v];
                    var.origin == *origin && program.calls.path(var.calls) == *calls
                };
                program.vars.indices().find(is_it).map(Made::Var)
            }
            Some(ObjectKey::Alloc(origin, _)) => {
                // Without calls nothing tells one copy of an edge from the other.
                let copies = program.edges.iter().filter(|e| e.origin == *origin);
                let copies = copies.filter(|e| matches!(e.op, Op::Alloc { .. } | Op::Realloc { .. }));
                (copies.count() == 1).then_some(Made::By(*origin))
            }
            Some(ObjectKey::Proc(_)) | None => None,
        };
        let Some(made) = made else { continue };
        let apart = |other: SiteId| site.apart.contains(&other) || layout.sites()[other].apart.contains(&id);
        let before = heap.iter().find(|(other, _)| !apart(*other)).map(|(_, at)| *at);
        let at = match before.filter(|_| matches!(made, Made::By(_)) && row.rng.chance(50)) {
            Some(at) => at,
            None => row.place(site.size, site.align),
        };
        if matches!(made, Made::By(_)) {
            heap.push((id, at));
        }
        placing.sites.insert(id, at);
        placing.places.at.insert((made, Vec::new()), at);
    }
    placing.places.rest = Some(row.next.next_multiple_of(4096) + 4096);
    placing
}

/// For any program: its global variables.
pub fn globals(program: &Program, seed: u64) -> Places {
    let mut row = Row::new(program, LOWEST, seed);
    let mut places = Places::default();
    let vars = program.vars.iter_enumerated().filter(|(_, var)| var.proc.is_none());
    for var in row.shuffled(vars.map(|(id, _)| id).collect()) {
        let ty = program.vars[var].ty;
        if let Some(size) = program.types.size_of(ty) {
            let at = row.place(size, program.types.align_of(ty));
            places.at.insert((Made::Var(var), Vec::new()), at);
        }
    }
    places.rest = Some(row.next.next_multiple_of(16) + if row.rng.chance(50) { 0 } else { 4096 });
    places
}
