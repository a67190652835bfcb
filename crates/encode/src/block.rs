//! Blocks to formulas.
//!
//! All paths of a region from its head to one exit become one formula (LBE, III.A). Each node has a guard, true only if a path leads to
//! it, and a state. A node with one incoming edge takes guard and state from there. Where several edges meet ([`Joins`]), each gets a
//! selector, the guard says that one of them was taken, and a cell whose terms differ gets a fresh symbol (a phi) that a taken
//! edge sets. So the formula is linear in the block, and a model names a path: follow the selectors back from the exit.

use crate::encoder::{Chosen, Encoder, Uninlined};
use crate::part::{Outside, Part, Read};
use crate::state::State;
use craig_base::{Budget, Stop};
use craig_cfa::{EdgeId, Name, Op, Region};
use craig_logic::{Sort, TermId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// One operation inside an encoded block.
#[derive(Debug, Clone)]
pub struct Taken {
    /// Nodes of the region.
    pub from: u32,
    pub to: u32,
    /// Holds if the path goes over this edge.
    pub taken: TermId,
    /// Of the program.
    pub edge: EdgeId,
    pub chosen: Vec<Chosen>,
    /// Accesses to objects that the environment gives, in their order.
    pub outside: Vec<Outside>,
    /// What it reads of memory that is told apart by addresses, in their order, and where it makes something whose content that may be.
    pub reads: Vec<Read>,
    pub opened: Vec<TermId>,
    pub unsupported: Option<Name>,
}

/// A block encoded from a state.
#[derive(Debug)]
pub struct Encoded {
    /// Holds if a path leads through the block.
    pub guard: TermId,
    pub state: Rc<State>,
    /// Its operations, in topological order; the block ends at the node `exit`.
    pub edges: Vec<Taken>,
    pub exit: u32,
}

/// Why a block has no formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotEncoded {
    /// It has a call that was not inlined.
    Call(Uninlined),
    Stopped(Stop),
}

impl From<Uninlined> for NotEncoded {
    fn from(call: Uninlined) -> Self {
        NotEncoded::Call(call)
    }
}

impl From<Stop> for NotEncoded {
    fn from(stop: Stop) -> Self {
        NotEncoded::Stopped(stop)
    }
}

/// Guarded states on their way through an acyclic graph. What arrives at a node waits there until the node is left.
#[derive(Debug)]
pub struct Joins<N, W> {
    waiting: BTreeMap<N, Vec<(W, TermId, Rc<State>)>>,
}

/// All that arrived at a node.
#[derive(Debug)]
pub struct Joined<W> {
    /// Holds if one of the ways was taken.
    pub guard: TermId,
    pub state: Rc<State>,
    /// Each way with a term that holds if it is the one.
    pub ways: Vec<(W, TermId)>,
}

impl<N, W> Default for Joins<N, W> {
    fn default() -> Self {
        Joins { waiting: BTreeMap::new() }
    }
}

impl<N: Ord, W> Joins<N, W> {
    /// Control comes to the node this way if `taken` holds.
    pub fn arrive(&mut self, node: N, way: W, taken: TermId, state: Rc<State>) {
        self.waiting.entry(node).or_default().push((way, taken, state));
    }

    /// The first of the nodes, with what arrived there.
    pub fn next(&mut self, encoder: &Encoder<'_>, part: &mut Part) -> Option<(N, Joined<W>)> {
        let (node, arrived) = self.waiting.pop_first()?;
        let (mut ways, mut states) = (Vec::new(), Vec::new());
        for (way, taken, state) in arrived {
            ways.push(way);
            states.push((taken, state));
        }
        let (guard, state, selectors) = encoder.join_states(states, part);
        Some((node, Joined { guard, state, ways: ways.into_iter().zip(selectors).collect() }))
    }
}

impl Encoder<'_> {
    /// All paths of a region from its head to one exit.
    pub fn region(
        &self,
        region: &Region,
        exit: u32,
        from: Rc<State>,
        part: &mut Part,
        budget: &Budget,
    ) -> Result<Encoded, NotEncoded> {
        let relevant = leading_to(region, exit);
        let mut edges: Vec<Taken> = Vec::new();
        // By node; a way is the index of its edge.
        let mut joins: Joins<u32, usize> = Joins::default();
        let mut node = Joined { guard: self.terms.tru(), state: from, ways: Vec::new() };
        let mut at = 0;
        let mut rest = &region.edges[..];
        while at != exit {
            // Edges are ordered by their source.
            rest = &rest[rest.partition_point(|e| e.from < at)..];
            let leaving = &rest[..rest.partition_point(|e| e.from == at)];
            let mut leaving = leaving.iter().filter(|e| relevant[e.to as usize]).peekable();
            let mut shared = Some(node.state);
            while let Some(e) = leaving.next() {
                budget.spend(EDGE_WORK);
                budget.check()?;
                // The last edge takes the state, the others copy it.
                let state = if leaving.peek().is_some() { shared.clone() } else { shared.take() };
                let mut state = state.expect("taken by the last edge only");
                let edge = &self.program.edges[e.edge];
                let effect = match &edge.op {
                    Op::Assume(_) | Op::Skip => self.unchanging(&edge.op, &state, part),
                    op => self.op(op, edge.origin, edge.calls, Rc::make_mut(&mut state), part)?,
                };
                let outside = std::mem::take(&mut part.outside);
                let reads = std::mem::take(&mut part.reads);
                let needs = effect.guard.into_iter().chain(outside.iter().map(|access| access.needs));
                let taken = self.terms.and(std::iter::once(node.guard).chain(needs));
                if self.terms.is_false(taken) {
                    continue;
                }
                joins.arrive(e.to, edges.len(), taken, state);
                let (from, to, edge) = (e.from, e.to, e.edge);
                edges.push(Taken {
                    from,
                    to,
                    taken,
                    edge,
                    chosen: effect.chosen,
                    outside,
                    reads,
                    opened: effect.opened,
                    unsupported: effect.unsupported,
                });
            }
            let Some((next, joined)) = joins.next(self, part) else {
                // Nothing leads to the exit; the state does not matter.
                let state = Rc::new(self.symbols(None));
                return Ok(Encoded { guard: self.terms.fls(), state, edges, exit });
            };
            for (way, selector) in &joined.ways {
                edges[*way].taken = *selector;
            }
            (at, node) = (next, joined);
        }
        Ok(Encoded { guard: node.guard, state: node.state, edges, exit })
    }

    /// Joins guarded states: the guard that one of them was taken, the state then, and for each a term that holds if it is
    /// the one.
    pub fn join_states(
        &self,
        mut arrivals: Vec<(TermId, Rc<State>)>,
        part: &mut Part,
    ) -> (TermId, Rc<State>, Vec<TermId>) {
        let t = &self.terms;
        if arrivals.len() == 1 {
            let (guard, state) = arrivals.remove(0);
            return (guard, state, vec![guard]);
        }
        let mut selectors = Vec::new();
        for (taken, _) in &arrivals {
            let selector = t.fresh("take", Sort::Bool);
            part.require(t, t.implies(selector, *taken));
            selectors.push(selector);
        }
        let guard = t.or(selectors.iter().copied());
        let mut joined = (*arrivals[0].1).clone();
        let phi = |first: &mut TermId, value: &dyn Fn(&State) -> TermId, part: &mut Part| {
            if arrivals.iter().all(|(_, s)| value(s) == *first) {
                return;
            }
            let symbol = t.fresh("phi", t.sort(*first));
            for (selector, (_, state)) in selectors.iter().zip(&arrivals) {
                part.require(t, t.implies(*selector, t.eq(symbol, value(state))));
            }
            *first = symbol;
        };
        for cell in self.layout.cells().indices() {
            phi(&mut joined.cells[cell], &|s| s.cells[cell], part);
        }
        phi(&mut joined.heap, &|s| s.heap, part);
        (guard, Rc::new(joined), selectors)
    }
}

/// Units of work that encoding an edge counts as.
const EDGE_WORK: u64 = 20;

/// For each node of the region, whether the exit can be reached from it.
fn leading_to(region: &Region, exit: u32) -> Vec<bool> {
    let mut relevant = vec![false; region.nodes()];
    relevant[exit as usize] = true;
    for edge in region.edges.iter().rev() {
        if relevant[edge.to as usize] {
            relevant[edge.from as usize] = true;
        }
    }
    relevant
}
