//! Takes empty steps and unreachable code out of a fresh program.
//!
//! A location that is left only by a `Skip` is the same as where that leads; statements that end in such steps need not care. The entry
//! of a procedure stays, and so does a `Skip` in a circle.

use craig_cfa::{Edge, LocId, Op, Program, graph};
use index_vec::{IndexVec, index_vec};

pub fn tidy(program: &mut Program) {
    skip_empty(program);
    renumber(program);
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

/// What no path from an entry reaches goes; the rest is numbered procedure by procedure in the order of the text, the error first.
fn renumber(program: &mut Program) {
    let order = graph::order(program, &program.graph());
    let mut kept: IndexVec<LocId, bool> = index_vec![false; program.locs.len()];
    kept[program.error] = true;
    let mut locs: Vec<LocId> = vec![program.error];
    for &loc in &order.rpo {
        if !std::mem::replace(&mut kept[loc], true) {
            locs.push(loc);
        }
    }
    // Exits that are never reached are still part of their procedures.
    for proc in &program.procs {
        if !std::mem::replace(&mut kept[proc.exit], true) {
            locs.push(proc.exit);
        }
    }
    let mut renumbered: IndexVec<LocId, LocId> = index_vec![program.error; program.locs.len()];
    for (new, &old) in locs.iter().enumerate() {
        renumbered[old] = LocId::from_usize(new);
    }
    program.locs = locs.iter().map(|&old| program.locs[old].clone()).collect();
    for (id, loc) in program.locs.iter_mut_enumerated() {
        loc.origin = id;
    }
    let mut edges: Vec<Edge> =
        std::mem::take(&mut program.edges).into_iter().filter(|e| kept[e.from]).collect();
    for edge in &mut edges {
        (edge.from, edge.to) = (renumbered[edge.from], renumbered[edge.to]);
    }
    // Stable: the edges of a location keep their order.
    edges.sort_by_key(|e| e.from);
    program.edges = edges.into();
    for (id, edge) in program.edges.iter_mut_enumerated() {
        edge.origin = id;
    }
    for proc in &mut program.procs {
        (proc.entry, proc.exit) = (renumbered[proc.entry], renumbered[proc.exit]);
    }
    program.error = renumbered[program.error];
}
