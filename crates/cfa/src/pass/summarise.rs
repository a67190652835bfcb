//! Large blocks: document 003, section III.A, rules 0 to 2.
//!
//! Rule 1 merges a location into its predecessor if all edges into it come from that one; rule 2 joins parallel edges; rule
//! 0 first makes the error a sink, which it always is here. The fixpoint of the rules is unique, and one pass in reverse
//! post-order finds it: a location belongs to the same representative as all its predecessors, or is its own one. The target of a
//! retreating edge is always its own: the source of that edge lies behind it, so that its representative is another than that
//! of the edges that come in from before. What each representative collects is acyclic and becomes a [`Region`], kept as a graph, so
//! that the result is linear in the program; each pair of representatives becomes one edge with a [`Block`].
//!
//! Kept as they are: entries, exits, the error; calls, and returns of procedures other than the entry, as plain edges between
//! kept locations, because control goes elsewhere there.
//!
//! Deviations: locations that their entry does not reach are dropped first (they would keep others from merging); dead ends inside a
//! region are dropped. A representative that collected nothing and has no parallel edges keeps its plain edges. A program
//! that has blocks already is returned as it is.

use super::compact::compact;
use crate::graph;
use crate::program::{Block, Edge, EdgeId, Inner, LocId, Op, Program, Region};
use index_vec::{IndexVec, index_vec};

pub fn summarise(program: &Program) -> Program {
    if !program.regions.is_empty() {
        return program.clone();
    }
    let flow = program.graph();
    let order = graph::order(program, &flow);
    let plain = plain_edges(program);

    let mut fixed = order.loop_head.clone();
    fixed[program.error] = true;
    for proc in &program.procs {
        fixed[proc.entry] = true;
        fixed[proc.exit] = true;
    }
    for (id, edge) in program.edges.iter_enumerated().filter(|(id, _)| plain[*id]) {
        debug_assert!(plain[id]);
        fixed[edge.from] = true;
        fixed[edge.to] = true;
    }

    // Who each location belongs to, and what belongs to each, both in topological order.
    let mut owner: IndexVec<LocId, Option<LocId>> = index_vec![None; program.locs.len()];
    let mut members: IndexVec<LocId, Vec<LocId>> = index_vec![Vec::new(); program.locs.len()];
    for &loc in &order.rpo {
        let mut owners = flow.pred[loc].iter().filter_map(|&e| owner[program.edges[e].from]);
        let first = owners.next();
        let to = match first {
            Some(r) if !fixed[loc] && owners.all(|o| o == r) => r,
            _ => loc,
        };
        owner[loc] = Some(to);
        members[to].push(loc);
    }

    let mut result = program.clone();
    result.edges.clear();
    let mut scratch =
        Scratch { node: index_vec![0; program.locs.len()], exit: index_vec![None; program.locs.len()] };
    for (head, members) in members.iter_enumerated().filter(|(_, m)| !m.is_empty()) {
        let mut collected = Vec::new();
        for &loc in members {
            for &id in &flow.succ[loc] {
                if plain[id] {
                    result.edges.push(program.edges[id].clone());
                } else {
                    collected.push(id);
                }
            }
        }
        emit(program, head, members, &collected, &owner, &mut scratch, &mut result);
    }
    compact(result)
}

/// Edges that never go into a block.
fn plain_edges(program: &Program) -> IndexVec<EdgeId, bool> {
    let is_called: IndexVec<_, bool> =
        graph::call_graph(program).callers.iter().map(|c| !c.is_empty()).collect();
    program
        .edges
        .iter()
        .map(|edge| match edge.op {
            Op::Call(_) => true,
            Op::Return(_) => is_called[program.locs[edge.from].proc],
            _ => false,
        })
        .collect()
}

/// Tables of the size of the program that the regions share; each region cleans up behind itself.
struct Scratch {
    node: IndexVec<LocId, u32>,
    exit: IndexVec<LocId, Option<u32>>,
}

/// Adds the edges of one representative: plain ones or one block per exit.
fn emit(
    program: &Program,
    head: LocId,
    members: &[LocId],
    collected: &[EdgeId],
    owner: &IndexVec<LocId, Option<LocId>>,
    scratch: &mut Scratch,
    result: &mut Program,
) {
    // `to` is merged into this region and not a location where it is left?
    let inside = |to: LocId| to != head && owner[to] == Some(head);

    // Members that reach an exit; they are in topological order, so that one sweep from the end decides.
    scratch.node[head] = 1;
    let mut leads_out = |id: &EdgeId| {
        let edge = &program.edges[*id];
        if !inside(edge.to) || scratch.node[edge.to] == 1 {
            scratch.node[edge.from] = 1;
            return true;
        }
        false
    };
    let mut useful: Vec<bool> = collected.iter().rev().map(&mut leads_out).collect();
    useful.reverse();
    let mut edges: Vec<EdgeId> =
        collected.iter().zip(&useful).filter(|(_, u)| **u).map(|(id, _)| *id).collect();
    let inner: Vec<LocId> = members.iter().copied().filter(|&m| scratch.node[m] == 1).collect();
    inner.iter().enumerate().for_each(|(i, &m)| scratch.node[m] = i as u32);
    edges.sort_by_key(|&id| scratch.node[program.edges[id].from]);

    let mut exits = Vec::new();
    for &id in &edges {
        let to = program.edges[id].to;
        if !inside(to) && scratch.exit[to].is_none() {
            scratch.exit[to] = Some((inner.len() + exits.len()) as u32);
            exits.push(to);
        }
    }

    if inner.len() == 1 && exits.len() == edges.len() {
        edges.iter().for_each(|&id| {
            result.edges.push(program.edges[id].clone());
        });
    } else if let Some(&first) = edges.first() {
        let node = |to: LocId| match scratch.exit[to] {
            Some(exit) if !inside(to) => exit,
            _ => scratch.node[to],
        };
        let to_inner = |&id: &EdgeId| {
            let e = &program.edges[id];
            let (from, to) = (scratch.node[e.from], node(e.to));
            Inner { from, to, op: e.op.clone(), span: e.span, origin: e.origin, calls: e.calls }
        };
        let region = result.regions.push(Region {
            edges: edges.iter().map(to_inner).collect(),
            nodes: inner.iter().map(|&l| (program.locs[l].origin, program.locs[l].calls)).collect(),
            inner: inner.len() as u32,
            exits: exits.len() as u32,
        });
        let first = &program.edges[first];
        for (i, &to) in exits.iter().enumerate() {
            let block = result.blocks.push(Block { region, exit: (inner.len() + i) as u32 });
            result.edges.push(Edge {
                from: head,
                to,
                op: Op::Block(block),
                span: first.span,
                origin: first.origin,
                calls: first.calls,
            });
        }
    }

    members.iter().for_each(|&m| scratch.node[m] = 0);
    exits.iter().for_each(|&to| scratch.exit[to] = None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{chain_of_ifs, figure_1, figure_2};
    use crate::verify::debug_verify;
    use insta::assert_snapshot;

    fn summary(program: &Program) -> Program {
        let result = summarise(program);
        debug_verify(&result, "summarise");
        result
    }

    #[test]
    fn figure_1_is_one_edge_to_the_exit_and_one_to_the_error() {
        assert_snapshot!(summary(&figure_1()), @r"
        global p1: i32
        global p2: i32
        global p3: i32
        global x1: i32
        global x2: i32
        global x3: i32

        proc main() -> i32    // entry L1, exit L2
          R0.6 =
              ([p1 != 0] ; x1 = 1 || [p1 == 0]) ;
              ([p2 != 0] ; x2 = 2 || [p2 == 0]) ;
              ([p3 != 0] ; x3 = 3 || [p3 == 0])
          R0.7 = R0.6 ; [p1 != 0]
          R0.8 = R0.6 ; [p1 == 0] || R0.7 ; [x1 == 1]
          R0.9 = R0.8 ; [p2 != 0]
          R0.10 = R0.8 ; [p2 == 0] || R0.9 ; [x2 == 2]
          R0.11 = R0.10 ; [p3 != 0]
          L1 -> ERROR: R0.7 ; [x1 != 1] || R0.9 ; [x2 != 2] || R0.11 ; [x3 != 3]
          L1 -> L2: (R0.10 ; [p3 == 0] || R0.11 ; [x3 == 3]) ; return 0
        ");
    }

    #[test]
    fn figure_2_as_printed() {
        assert_snapshot!(summary(&figure_2()), @r"
        global i: i32
        global x: i32
        global z: i32

        proc main() -> i32    // entry L1, exit L2
          L1 -> L3: skip
          L3 -> L3: [0 < i] ; ([x == 1] ; z = 0 || [x != 1] ; z = 1) ; i = i - 1
          L3 -> L2: [!(0 < i)] ; return 0
        ");
    }

    #[test]
    fn size_is_linear() {
        for checks in [false, true] {
            let small = summary(&chain_of_ifs(1000, checks));
            let large = summary(&chain_of_ifs(2000, checks));
            for (program, n) in [(&small, 1000), (&large, 2000)] {
                let size = graph::size(program);
                let original = graph::size(&chain_of_ifs(n, checks));
                assert_eq!(program.regions.len(), 1);
                assert_eq!(size.ops, original.ops);
                assert_eq!(size.nodes, original.locs);
            }
            let (a, b) = (small.to_string().len(), large.to_string().len());
            assert!(b < a * 23 / 10, "text of {a} and {b} characters");
        }
    }
}
