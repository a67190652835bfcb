//! Blocks: the pieces of program between two places where an engine abstracts.
//!
//! [`Flow`] is the automaton whose edges are blocks. Its blocks are the edges of the program (single operations, or large blocks
//! that a pass made: document 003, III.A), or are formed when a location is first left: all paths up to the next
//! place where [`BlockEnd`] says that a block ends (adjustable blocks). A formed block may run through joins where large
//! blocks would stop, so that code behind a join can be part of several blocks; that makes fewer abstractions.
//!
//! [`Formula`] is what a block does, over the symbols of the state before it. It is made once; paths rename it
//! ([`crate::refine`]). The blocks that leave the entry start from the initial state itself, because nothing else enters it.

use craig_cfa::graph::{self, Order};
use craig_cfa::{EdgeId, Graph, Inner, LocId, Program, Region};
use craig_encode::block::{Encoded, Taken};
use craig_encode::{Encoder, Part, State, Uninlined};
use craig_logic::{TermId, Terms};
use craig_smt::{Session, Smt};
use craig_verdict::Reason;
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

index_vec::define_index_type! { pub struct BlockNo = u32; }

/// Where adjustable blocks end, besides at loop heads and the error, where all do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BlockEnd {
    #[default]
    LoopHeads,
    /// Where a call begins or ends, too.
    Calls,
    /// After so many operations (on the longest way), too.
    Operations(u32),
}

/// How the blocks of a program come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// The edges of a program prepared with single operations.
    Single,
    /// The edges of a program prepared with large blocks.
    Large,
    /// Formed by [`Flow`], on a program prepared with single operations.
    Adjustable(BlockEnd),
}

impl Default for Blocks {
    fn default() -> Self {
        Blocks::Adjustable(BlockEnd::default())
    }
}

#[derive(Debug, Clone)]
pub struct Block {
    pub from: LocId,
    pub to: LocId,
    pub body: Body,
}

#[derive(Debug, Clone)]
pub enum Body {
    Edge(EdgeId),
    /// All paths of the region to one of its exits.
    Region(Rc<Region>, u32),
}

/// The automaton whose edges are blocks.
#[derive(Debug)]
pub struct Flow<'p> {
    program: &'p Program,
    forming: Blocks,
    graph: Graph,
    pub order: Order,
    blocks: IndexVec<BlockNo, Block>,
    /// The blocks that leave a location, for those that were asked for.
    out: FxHashMap<LocId, Rc<[BlockNo]>>,
    /// Locations that a call string changes at.
    call_ends: FxHashSet<LocId>,
}

impl<'p> Flow<'p> {
    pub fn new(program: &'p Program, forming: Blocks) -> Self {
        let graph = program.graph();
        let order = graph::order(program, &graph);
        let mut call_ends = FxHashSet::default();
        if forming == Blocks::Adjustable(BlockEnd::Calls) {
            let changes = |e: &&craig_cfa::Edge| program.locs[e.from].calls != program.locs[e.to].calls;
            call_ends.extend(program.edges.iter().filter(changes).map(|e| e.to));
        }
        Flow { program, forming, graph, order, blocks: IndexVec::new(), out: FxHashMap::default(), call_ends }
    }

    pub fn block(&self, block: BlockNo) -> &Block {
        &self.blocks[block]
    }

    /// The blocks that leave a location; those to the error first.
    pub fn leaving(&mut self, loc: LocId) -> Rc<[BlockNo]> {
        if let Some(known) = self.out.get(&loc) {
            return Rc::clone(known);
        }
        let mut found = match self.forming {
            Blocks::Single | Blocks::Large => self.edges(loc),
            Blocks::Adjustable(end) => self.form(loc, end),
        };
        found.sort_by_key(|b| b.to != self.program.error);
        let found: Rc<[BlockNo]> = found.into_iter().map(|b| self.blocks.push(b)).collect();
        self.out.insert(loc, Rc::clone(&found));
        found
    }

    fn edges(&self, loc: LocId) -> Vec<Block> {
        let edge = |&id: &EdgeId| Block { from: loc, to: self.program.edges[id].to, body: Body::Edge(id) };
        self.graph.succ[loc].iter().map(edge).collect()
    }

    fn ends(&self, loc: LocId, distance: u32, end: BlockEnd) -> bool {
        loc == self.program.error
            || self.order.loop_head[loc]
            || match end {
                BlockEnd::LoopHeads => false,
                BlockEnd::Calls => self.call_ends.contains(&loc),
                BlockEnd::Operations(n) => distance >= n.max(1),
            }
    }

    /// The region of all paths from a location to where blocks end, as one block per exit.
    fn form(&self, start: LocId, end: BlockEnd) -> Vec<Block> {
        // In topological order: edges inside are not retreating, because their targets are no loop heads.
        let mut waiting: BTreeMap<u32, (LocId, u32)> = BTreeMap::new();
        let mut inner = vec![start];
        let mut exits: Vec<LocId> = Vec::new();
        let mut next = Some((start, 0));
        while let Some((loc, distance)) = next {
            for &edge in &self.graph.succ[loc] {
                let to = self.program.edges[edge].to;
                if let Some(position) = self.order.position[to] {
                    let entry = waiting.entry(position).or_insert((to, 0));
                    entry.1 = entry.1.max(distance + 1);
                }
            }
            next = None;
            while let Some((_, (loc, distance))) = waiting.pop_first() {
                if loc == start || self.ends(loc, distance, end) {
                    // Retreating edges may lead to it again.
                    if !exits.contains(&loc) {
                        exits.push(loc);
                    }
                } else {
                    inner.push(loc);
                    next = Some((loc, distance));
                    break;
                }
            }
        }
        let region = Rc::new(self.region(&inner, &exits));
        let block = |(i, &to): (usize, &LocId)| Block {
            from: start,
            to,
            body: Body::Region(Rc::clone(&region), (inner.len() + i) as u32),
        };
        exits.iter().enumerate().map(block).collect()
    }

    fn region(&self, inner: &[LocId], exits: &[LocId]) -> Region {
        let index = |locs: &[LocId], offset: usize| -> FxHashMap<LocId, u32> {
            locs.iter().enumerate().map(|(i, l)| (*l, (offset + i) as u32)).collect()
        };
        let (inside, outside) = (index(inner, 0), index(exits, inner.len()));
        let mut edges = Vec::new();
        for (from, loc) in inner.iter().enumerate() {
            for &id in &self.graph.succ[*loc] {
                let e = &self.program.edges[id];
                // The start may be an exit as well: edges into it leave.
                let Some(&to) = outside.get(&e.to).or_else(|| inside.get(&e.to)) else { continue };
                let from = from as u32;
                edges.push(Inner {
                    from,
                    to,
                    op: e.op.clone(),
                    span: e.span,
                    origin: e.origin,
                    calls: e.calls,
                });
            }
        }
        let locs = &self.program.locs;
        Region {
            edges,
            nodes: inner.iter().map(|l| (locs[*l].origin, locs[*l].calls)).collect(),
            inner: inner.len() as u32,
            exits: exits.len() as u32,
        }
    }
}

/// The state as a vector of terms: the cells, then the address of the next object of the heap.
pub fn flat(state: &State) -> Vec<TermId> {
    let mut slots = state.cells.raw.clone();
    slots.push(state.heap);
    slots
}

/// The symbols of the state, the vocabulary of predicates and invariants.
#[derive(Debug)]
pub struct Vocabulary {
    pub symbols: Vec<TermId>,
    slot: FxHashMap<TermId, u32>,
}

impl Vocabulary {
    pub fn new(encoder: &Encoder<'_>) -> Self {
        let symbols = flat(&encoder.symbols(None));
        let slot = symbols.iter().enumerate().map(|(i, s)| (*s, i as u32)).collect();
        Vocabulary { symbols, slot }
    }

    /// Which slot of the state the term is the symbol of.
    pub fn slot(&self, symbol: TermId) -> Option<u32> {
        self.slot.get(&symbol).copied()
    }

    /// The slots whose symbols occur in the terms, ascending.
    pub fn slots_of(&self, terms: &Terms, roots: &[TermId]) -> Vec<u32> {
        let symbols = terms.symbols_of_all(roots);
        let mut slots: Vec<u32> = symbols.iter().filter_map(|s| self.slot(terms.symbol_term(*s))).collect();
        slots.sort_unstable();
        slots
    }
}

/// What a block does.
#[derive(Debug)]
pub struct Formula {
    /// Hold together if the block can be passed.
    pub constraints: Vec<TermId>,
    /// The slots that change, with their terms afterwards; ascending.
    pub changed: Vec<(u32, TermId)>,
    /// The slots that the constraints speak of.
    pub reads: Vec<u32>,
    /// The operations, for traces.
    pub edges: Vec<Taken>,
    pub exit: u32,
}

impl Formula {
    pub fn new(encoder: &Encoder<'_>, vocabulary: &Vocabulary, block: &Block) -> Result<Formula, Uninlined> {
        let program = encoder.program;
        let mut part = Part::new();
        let before = if block.from == program.procs[program.entry].entry {
            encoder.initial(&mut part)
        } else {
            encoder.symbols(None)
        };
        let Encoded { guard, state, edges, exit } = match &block.body {
            Body::Edge(edge) => encoder.edge(&program.edges[*edge], &before, &mut part)?,
            Body::Region(region, exit) => encoder.region(region, *exit, &before, &mut part)?,
        };
        let terms = &encoder.terms;
        let mut constraints = part.constraints;
        constraints.extend(terms.conjuncts(guard));
        let after = flat(&state);
        let changed = (0..).zip(after).filter(|(i, t)| vocabulary.symbols[*i as usize] != *t).collect();
        let reads = vocabulary.slots_of(terms, &constraints);
        Ok(Formula { constraints, changed, reads, edges, exit })
    }

    /// The term of a slot after the block, if it changes.
    pub fn after(&self, slot: u32) -> Option<TermId> {
        self.changed.binary_search_by_key(&slot, |c| c.0).ok().map(|i| self.changed[i].1)
    }

    /// The term, over the state after the block, as one over the state before it.
    pub fn before(&self, terms: &Terms, vocabulary: &Vocabulary, term: TermId) -> TermId {
        let slots = vocabulary.slots_of(terms, &[term]);
        let map =
            slots.iter().filter_map(|s| Some((vocabulary.symbols[*s as usize], self.after(*s)?))).collect();
        terms.substitute(term, &map)
    }
}

/// The formulas of blocks, each made once.
#[derive(Debug, Default)]
pub struct Formulas {
    made: FxHashMap<BlockNo, Rc<Formula>>,
}

impl Formulas {
    pub fn get(
        &mut self,
        encoder: &Encoder<'_>,
        vocabulary: &Vocabulary,
        flow: &Flow<'_>,
        block: BlockNo,
    ) -> Result<Rc<Formula>, Reason> {
        if let Some(known) = self.made.get(&block) {
            return Ok(Rc::clone(known));
        }
        let made = Formula::new(encoder, vocabulary, flow.block(block))
            .map_err(|called| Reason::Recursion(encoder.program.procs[called.0].name.clone()))?;
        let made = Rc::new(made);
        self.made.insert(block, Rc::clone(&made));
        Ok(made)
    }
}

/// Sessions in which one block each is asserted; the most recently used are kept.
#[derive(Debug)]
pub struct Sessions {
    smt: Smt,
    kept: FxHashMap<BlockNo, (u64, Session)>,
    now: u64,
}

impl Sessions {
    /// So many are kept.
    const KEPT: usize = 100;

    pub fn new(smt: &Smt) -> Self {
        Sessions { smt: smt.clone(), kept: FxHashMap::default(), now: 0 }
    }

    pub fn get(&mut self, block: BlockNo, formula: &Formula) -> &mut Session {
        self.now += 1;
        if !self.kept.contains_key(&block) {
            if self.kept.len() >= Self::KEPT {
                let oldest = self.kept.iter().min_by_key(|(_, (used, _))| *used).map(|(b, _)| *b);
                oldest.and_then(|b| self.kept.remove(&b));
            }
            let mut session = self.smt.session();
            formula.constraints.iter().for_each(|c| session.assert(*c));
            self.kept.insert(block, (self.now, session));
        }
        let (used, session) = self.kept.get_mut(&block).expect("just put there");
        *used = self.now;
        session
    }
}
