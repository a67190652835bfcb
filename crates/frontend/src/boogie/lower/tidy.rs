//! Takes empty steps and unreachable code out of a fresh program.
//!
//! A location that is left only by a `Skip` is the same as where that leads; statements that end in such steps need not care. The entry
//! of a procedure stays, and so does a `Skip` in a circle.

use craig_cfa::{EdgeId, LocId, Op, Program};
use index_vec::{IndexVec, index_vec};

pub fn tidy(program: &mut Program) {
    skip_empty(program);
    remove_unreachable(program);
}

fn skip_empty(program: &mut Program) {
    let graph = program.graph();
    let mut fixed: IndexVec<LocId, bool> = index_vec![false; program.locs.len()];
    for proc in &program.procs {
        fixed[proc.entry] = true;
    }
    // Where a location's only step leads, if it is empty.
    let step = |loc: LocId| match graph.succ[loc].as_slice() {
        [only] if !fixed[loc] && program.edges[*only].op == Op::Skip => Some(program.edges[*only].to),
        _ => None,
    };
    let mut target: IndexVec<LocId, Option<LocId>> = index_vec![None; program.locs.len()];
    let mut on_path: IndexVec<LocId, bool> = index_vec![false; program.locs.len()];
    for start in 0..program.locs.len() {
        let mut path = vec![LocId::from_usize(start)];
        let end = loop {
            let last = path[path.len() - 1];
            if let Some(known) = target[last] {
                break known;
            }
            on_path[last] = true;
            match step(last) {
                // A circle of empty steps: it stays where it was entered.
                Some(next) if on_path[next] => break next,
                Some(next) if next != program.error => path.push(next),
                _ => break last,
            }
        };
        for loc in path {
            on_path[loc] = false;
            target[loc] = Some(end);
        }
    }
    for loc in 0..program.locs.len() {
        let loc = LocId::from_usize(loc);
        let to = target[loc].unwrap_or(loc);
        if to != loc && program.locs[to].label.is_none() {
            program.locs[to].label = program.locs[loc].label.clone();
        }
    }
    for edge in &mut program.edges {
        edge.to = target[edge.to].unwrap_or(edge.to);
    }
}

fn remove_unreachable(program: &mut Program) {
    let graph = program.graph();
    let mut kept: IndexVec<LocId, bool> = index_vec![false; program.locs.len()];
    let mut stack: Vec<LocId> = Vec::new();
    for proc in &program.procs {
        kept[proc.exit] = true;
        stack.push(proc.entry);
    }
    kept[program.error] = true;
    while let Some(loc) = stack.pop() {
        if !std::mem::replace(&mut kept[loc], true) {
            stack.extend(graph.succ[loc].iter().map(|e| program.edges[*e].to));
        }
    }
    let mut renumbered: IndexVec<LocId, LocId> = index_vec![LocId::from_raw(0); program.locs.len()];
    let mut locs = IndexVec::new();
    for (old, loc) in std::mem::take(&mut program.locs).into_iter_enumerated() {
        if kept[old] {
            renumbered[old] = locs.push(loc);
        }
    }
    program.locs = locs;
    for (id, loc) in program.locs.iter_mut_enumerated() {
        loc.origin = id;
    }
    let edges = std::mem::take(&mut program.edges);
    for mut edge in edges.into_iter().filter(|e| kept[e.from]) {
        edge.origin = EdgeId::from_usize(program.edges.len());
        (edge.from, edge.to) = (renumbered[edge.from], renumbered[edge.to]);
        program.edges.push(edge);
    }
    for proc in &mut program.procs {
        (proc.entry, proc.exit) = (renumbered[proc.entry], renumbered[proc.exit]);
    }
    program.error = renumbered[program.error];
}
