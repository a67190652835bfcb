//! The graph of blocks: pieces of a program between two places where an engine abstracts.
//!
//! A block is all paths of an acyclic piece of program, a [`Region`], from its head to one of its exits. Regions are shared between the
//! blocks that leave the same head, so that the graph is linear in the program where heads do not overlap. The graph stands beside the
//! program, which has no blocks itself, and never changes.
//!
//! - [`Blocks::Single`]: every edge is a block.
//! - [`Blocks::Large`]: the fixpoint of the rules 0 to 2 of LBE, III.A. Rule 1 merges a location into its predecessor if all edges
//!   into it come from that one; rule 2 joins parallel edges; rule 0 first makes the error a sink, which it always is here. The fixpoint is
//!   unique, and one pass in reverse post-order finds it: a location belongs to the same head as all its predecessors, or is a head.
//!   The target of a retreating edge is always one: the source of that edge lies behind it, so that its head is another than that
//!   of the edges that come in from before.
//! - [`Blocks::Adjustable`] (ABE): from a head all paths up to the next place where a block ends, as [`BlockEnd`] says. Such a block may
//!   run through joins where large blocks stop, so that code behind a join can be part of several regions; that makes fewer abstractions.
//!
//! Blocks of every kind end at loop heads, at the error and around calls; a call, and the return of a procedure that is called, is a
//! block of its own, because control goes elsewhere there. Each procedure has its own part of the graph, from its entry on.
//!
//! Deviations from LBE: locations that their entry does not reach are left out first (they would keep others from merging); dead
//! ends inside a region are dropped.

use crate::graph::{self, Order};
use crate::program::{EdgeId, Graph, LocId, Op, Program};
use craig_base::{Budget, Pace, Stop};
use index_vec::{IndexVec, index_vec};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

index_vec::define_index_type! { pub struct RegionId = u32; }
index_vec::define_index_type! { pub struct BlockId = u32; }

/// How the blocks of a program come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Blocks {
    /// One operation.
    Single,
    /// As much as the rules of large blocks merge.
    Large,
    /// From where one ends to where the next ones end.
    Adjustable(BlockEnd),
}

impl Default for Blocks {
    fn default() -> Self {
        Blocks::Adjustable(BlockEnd::default())
    }
}

/// Where adjustable blocks end, besides where all do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BlockEnd {
    #[default]
    LoopHeads,
    /// Where a call that was inlined begins or ends, too.
    Calls,
    /// After so many operations (on the longest way), too.
    Operations(u32),
}

impl FromStr for BlockEnd {
    type Err = String;

    fn from_str(text: &str) -> Result<BlockEnd, String> {
        match (text, text.parse()) {
            ("loop", _) => Ok(BlockEnd::LoopHeads),
            ("loop+call", _) => Ok(BlockEnd::Calls),
            (_, Ok(operations)) if operations > 0 => Ok(BlockEnd::Operations(operations)),
            _ => Err("`loop`, `loop+call` or a number of operations is expected".into()),
        }
    }
}

impl fmt::Display for BlockEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockEnd::LoopHeads => f.write_str("loop"),
            BlockEnd::Calls => f.write_str("loop+call"),
            BlockEnd::Operations(n) => write!(f, "{n}"),
        }
    }
}

/// An acyclic piece of program. Its nodes are numbered: first the locations inside, from the head on in topological order, then those where
/// it is left. The head may be one of these as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The locations inside; the first is the head.
    pub inner: Vec<LocId>,
    pub exits: Vec<LocId>,
    /// Ordered by `from`, then as in the program: a topological order.
    pub edges: Vec<RegionEdge>,
}

/// An edge of the program between two nodes of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegionEdge {
    pub from: u32,
    pub to: u32,
    pub edge: EdgeId,
}

impl Region {
    pub fn head(&self) -> LocId {
        self.inner[0]
    }

    pub fn nodes(&self) -> usize {
        self.inner.len() + self.exits.len()
    }

    /// Says what is wrong with it, if something is.
    fn broken(&self, program: &Program) -> Option<&'static str> {
        let (inner, nodes) = (self.inner.len(), self.nodes());
        let upwards = |e: &RegionEdge| (e.from as usize) < inner && e.from < e.to && (e.to as usize) < nodes;
        if !self.edges.iter().all(upwards) {
            return Some("an edge does not go upwards");
        }
        if !self.edges.is_sorted_by_key(|e| e.from) {
            return Some("its edges are not in order");
        }
        let locs: Vec<LocId> = self.inner.iter().chain(&self.exits).copied().collect();
        let ends = |e: &RegionEdge| {
            let edge = &program.edges[e.edge];
            (edge.from, edge.to) == (locs[e.from as usize], locs[e.to as usize])
        };
        if !self.edges.iter().all(ends) {
            return Some("an edge has other ends in the program");
        }
        let mut reached = vec![false; nodes];
        let mut leaves = vec![false; nodes];
        reached[0] = true;
        leaves[inner..].fill(true);
        for e in &self.edges {
            reached[e.to as usize] |= reached[e.from as usize];
        }
        for e in self.edges.iter().rev() {
            leaves[e.from as usize] |= leaves[e.to as usize];
        }
        if reached.contains(&false) {
            return Some("a node is not reachable");
        }
        if leaves.contains(&false) {
            return Some("a node reaches no exit");
        }
        let alone = |op: &Op| matches!(op, Op::Call(_));
        if self.edges.len() > 1 && self.edges.iter().any(|e| alone(&program.edges[e.edge].op)) {
            return Some("a call is not alone");
        }
        None
    }
}

/// All paths of a region to one of its exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    pub from: LocId,
    pub to: LocId,
    pub region: RegionId,
    /// Node of the exit.
    pub exit: u32,
}

/// The graph whose edges are blocks.
#[derive(Debug, Clone)]
pub struct BlockGraph {
    regions: IndexVec<RegionId, Region>,
    blocks: IndexVec<BlockId, Block>,
    leaving: IndexVec<LocId, Vec<BlockId>>,
    entering: IndexVec<LocId, Vec<BlockId>>,
    /// Order and loop heads of the program. Every loop head is an end of blocks.
    pub order: Order,
}

impl BlockGraph {
    pub fn new(program: &Program, kind: Blocks, budget: &Budget) -> Result<BlockGraph, Stop> {
        let flow = program.graph();
        let order = graph::order(program, &flow);
        let alone = alone(program);
        let mut maker = Maker {
            program,
            flow: &flow,
            order: &order,
            alone: &alone,
            pace: Pace::new(budget),
            regions: IndexVec::new(),
        };
        match kind {
            Blocks::Single => maker.single()?,
            Blocks::Large => maker.large()?,
            Blocks::Adjustable(end) => maker.adjustable(end)?,
        }
        let regions = maker.regions;
        debug_assert_eq!(regions.iter().find_map(|r| r.broken(program)), None);
        let mut graph = BlockGraph {
            blocks: IndexVec::new(),
            leaving: index_vec![Vec::new(); program.locs.len()],
            entering: index_vec![Vec::new(); program.locs.len()],
            regions,
            order,
        };
        for (id, region) in graph.regions.iter_enumerated() {
            for (i, &to) in region.exits.iter().enumerate() {
                let from = region.head();
                let exit = (region.inner.len() + i) as u32;
                graph.leaving[from].push(graph.blocks.push(Block { from, to, region: id, exit }));
            }
        }
        for leaving in &mut graph.leaving {
            leaving.sort_by_key(|b| {
                let to = graph.blocks[*b].to;
                // Around a loop before past it: what a refinement learns of one more turn is more often what holds of all.
                let position = graph.order.position[to].filter(|_| matches!(kind, Blocks::Adjustable(_)));
                (to != program.error, position)
            });
        }
        for (id, block) in graph.blocks.iter_enumerated() {
            graph.entering[block.to].push(id);
        }
        Ok(graph)
    }

    pub fn blocks(&self) -> &IndexVec<BlockId, Block> {
        &self.blocks
    }

    pub fn block(&self, block: BlockId) -> &Block {
        &self.blocks[block]
    }

    pub fn region(&self, region: RegionId) -> &Region {
        &self.regions[region]
    }

    pub fn regions(&self) -> &IndexVec<RegionId, Region> {
        &self.regions
    }

    /// The blocks that leave a location; those to the error first, then (adjustable) those that go around a loop.
    pub fn leaving(&self, loc: LocId) -> &[BlockId] {
        &self.leaving[loc]
    }

    /// The blocks that end at a location.
    pub fn entering(&self, loc: LocId) -> &[BlockId] {
        &self.entering[loc]
    }

    /// The locations from which one can be reached; that one only if it lies on a cycle.
    pub fn before(&self, loc: LocId) -> BTreeSet<LocId> {
        let mut found = BTreeSet::new();
        let mut open = vec![loc];
        while let Some(at) = open.pop() {
            let from = self.entering(at).iter().map(|block| self.block(*block).from);
            open.extend(from.filter(|from| found.insert(*from)));
        }
        found
    }

    /// The loop heads that their entry reaches, ascending.
    pub fn loop_heads(&self) -> impl Iterator<Item = LocId> + '_ {
        self.order.loop_head.iter_enumerated().filter(|(_, head)| **head).map(|(loc, _)| loc)
    }
}

/// Edges that are a block of their own.
fn alone(program: &Program) -> IndexVec<EdgeId, bool> {
    let calls = graph::call_graph(program);
    let is_alone = |op: &Op, from: LocId| match op {
        Op::Call(_) => true,
        Op::Return(_) => !calls.callers[program.locs[from].proc].is_empty(),
        _ => false,
    };
    program.edges.iter().map(|edge| is_alone(&edge.op, edge.from)).collect()
}

struct Maker<'a> {
    program: &'a Program,
    flow: &'a Graph,
    order: &'a Order,
    alone: &'a IndexVec<EdgeId, bool>,
    pace: Pace<'a>,
    regions: IndexVec<RegionId, Region>,
}

impl Maker<'_> {
    /// Where blocks of every kind end.
    fn ends(&self) -> IndexVec<LocId, bool> {
        let mut ends = self.order.loop_head.clone();
        ends[self.program.error] = true;
        for (_, edge) in self.program.edges.iter_enumerated().filter(|(id, _)| self.alone[*id]) {
            ends[edge.from] = true;
            ends[edge.to] = true;
        }
        ends
    }

    fn is_reached(&self, loc: LocId) -> bool {
        self.order.position[loc].is_some()
    }

    /// A region of one edge.
    fn edge(&mut self, id: EdgeId) {
        let edge = &self.program.edges[id];
        let edges = vec![RegionEdge { from: 0, to: 1, edge: id }];
        self.regions.push(Region { inner: vec![edge.from], exits: vec![edge.to], edges });
    }

    fn single(&mut self) -> Result<(), Stop> {
        for (id, edge) in self.program.edges.iter_enumerated() {
            self.pace.step()?;
            if self.is_reached(edge.from) {
                self.edge(id);
            }
        }
        Ok(())
    }

    fn large(&mut self) -> Result<(), Stop> {
        let program = self.program;
        let mut fixed = self.ends();
        for proc in &program.procs {
            fixed[proc.entry] = true;
            fixed[proc.exit] = true;
        }
        // What belongs to each head, in topological order.
        let mut head: IndexVec<LocId, Option<LocId>> = index_vec![None; program.locs.len()];
        let mut members: IndexVec<LocId, Vec<LocId>> = index_vec![Vec::new(); program.locs.len()];
        for &loc in &self.order.rpo {
            self.pace.step()?;
            let mut heads = self.flow.pred[loc].iter().filter_map(|&e| head[program.edges[e].from]);
            let to = match heads.next() {
                Some(first) if !fixed[loc] && heads.all(|h| h == first) => first,
                _ => loc,
            };
            head[loc] = Some(to);
            members[to].push(loc);
        }
        let mut shape = Shape::new(program);
        for members in members.iter().filter(|m| !m.is_empty()) {
            self.region(members, &mut shape)?;
        }
        Ok(())
    }

    fn adjustable(&mut self, end: BlockEnd) -> Result<(), Stop> {
        let program = self.program;
        let mut ends = self.ends();
        if end == BlockEnd::Calls {
            let changes = |e: &&crate::Edge| program.locs[e.from].calls != program.locs[e.to].calls;
            program.edges.iter().filter(changes).for_each(|e| ends[e.to] = true);
        }
        let calls = graph::call_graph(program);
        for (id, proc) in program.procs.iter_enumerated() {
            ends[proc.exit] |= !calls.callers[id].is_empty();
        }
        let far = |distance: u32| matches!(end, BlockEnd::Operations(n) if distance >= n.max(1));
        let mut known: IndexVec<LocId, bool> = index_vec![false; program.locs.len()];
        let mut shape = Shape::new(program);
        let mut waiting: Vec<LocId> = program.procs.iter().map(|p| p.entry).collect();
        waiting.reverse();
        while let Some(start) = waiting.pop() {
            if std::mem::replace(&mut known[start], true) {
                continue;
            }
            // In topological order: edges inside are not retreating, because their targets are no loop heads.
            let mut open: BTreeMap<u32, (LocId, u32)> = BTreeMap::new();
            let mut members = vec![start];
            let mut next = Some((start, 0));
            while let Some((loc, distance)) = next {
                for &edge in &self.flow.succ[loc] {
                    self.pace.step()?;
                    let to = program.edges[edge].to;
                    if let Some(position) = self.order.position[to] {
                        let entry = open.entry(position).or_insert((to, 0));
                        entry.1 = entry.1.max(distance + 1);
                    }
                }
                next = None;
                while let Some((_, (loc, distance))) = open.pop_first() {
                    if loc != start && !ends[loc] && !far(distance) {
                        members.push(loc);
                        next = Some((loc, distance));
                        break;
                    }
                }
            }
            let first = self.regions.len();
            self.region(&members, &mut shape)?;
            let exits = self.regions.raw[first..].iter().flat_map(|r| &r.exits);
            waiting.extend(exits.filter(|to| !known[**to]).rev());
        }
        Ok(())
    }

    /// Adds the region of the members, which are in topological order from the head on, and those of edges that are alone.
    fn region(&mut self, members: &[LocId], shape: &mut Shape) -> Result<(), Stop> {
        let program = self.program;
        members.iter().for_each(|&m| shape.inside[m] = true);
        shape.inside[members[0]] = false;
        let mut collected = Vec::new();
        for &loc in members {
            for &id in &self.flow.succ[loc] {
                self.pace.step()?;
                if self.alone[id] {
                    self.edge(id);
                } else {
                    collected.push(id);
                }
            }
        }
        // Members that reach an exit; one sweep from the end decides.
        let mut useful: Vec<EdgeId> = Vec::with_capacity(collected.len());
        for &id in collected.iter().rev() {
            let edge = &program.edges[id];
            if !shape.inside[edge.to] || shape.useful[edge.to] {
                shape.useful[edge.from] = true;
                useful.push(id);
            }
        }
        useful.reverse();
        if !useful.is_empty() {
            let inner: Vec<LocId> = members.iter().copied().filter(|m| shape.useful[*m]).collect();
            inner.iter().enumerate().for_each(|(i, m)| shape.node[*m] = i as u32);
            let mut exits: Vec<LocId> = Vec::new();
            let mut edges: Vec<RegionEdge> = Vec::with_capacity(useful.len());
            for &id in &useful {
                let edge = &program.edges[id];
                let to = if shape.inside[edge.to] {
                    shape.node[edge.to]
                } else {
                    *shape.exit[edge.to].get_or_insert_with(|| {
                        exits.push(edge.to);
                        (inner.len() + exits.len() - 1) as u32
                    })
                };
                edges.push(RegionEdge { from: shape.node[edge.from], to, edge: id });
            }
            edges.sort_by_key(|e| e.from);
            exits.iter().for_each(|to| shape.exit[*to] = None);
            self.regions.push(Region { inner, exits, edges });
        }
        for &m in members {
            (shape.inside[m], shape.useful[m]) = (false, false);
        }
        Ok(())
    }
}

/// Tables of the size of the program that the regions share; each region cleans up behind itself.
struct Shape {
    /// Belongs to the region and is not its head.
    inside: IndexVec<LocId, bool>,
    /// A way leads from it to an exit.
    useful: IndexVec<LocId, bool>,
    node: IndexVec<LocId, u32>,
    exit: IndexVec<LocId, Option<u32>>,
}

impl Shape {
    fn new(program: &Program) -> Shape {
        let n = program.locs.len();
        Shape {
            inside: index_vec![false; n],
            useful: index_vec![false; n],
            node: index_vec![0; n],
            exit: index_vec![None; n],
        }
    }
}

#[cfg(test)]
mod tests;
