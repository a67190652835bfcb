//! Blocks to formulas.
//!
//! All paths of a region from its entry to one exit become one formula (document 003, III.A). Each inner node has a guard, true
//! only if a path leads to it, and a state. A node with one incoming edge takes guard and state from there. Where several
//! edges meet, each gets a selector, the guard says that one of them was taken, and a cell whose terms differ gets a fresh
//! symbol (a phi) that a taken edge sets. So the formula is linear in the block, and a model names a path: follow
//! the selectors back from the exit.

use crate::encoder::{Chosen, Encoder, Uninlined};
use crate::part::Part;
use crate::state::State;
use craig_cfa::{CallString, Edge, EdgeId, Inner, Name, Op, Region};
use craig_logic::{Sort, TermId};
use std::rc::Rc;

/// One operation inside an encoded block.
#[derive(Debug, Clone)]
pub struct Taken {
    pub from: u32,
    pub to: u32,
    /// Holds if the path goes over this edge.
    pub taken: TermId,
    pub origin: EdgeId,
    pub calls: CallString,
    pub chosen: Vec<Chosen>,
    pub unsupported: Option<Name>,
}

/// A block encoded from a state.
#[derive(Debug)]
pub struct Encoded {
    /// Holds if a path leads through the block.
    pub guard: TermId,
    pub state: State,
    /// Its operations, in topological order; nodes are numbered as in the region, the block ends at `exit`.
    pub edges: Vec<Taken>,
    pub exit: u32,
}

impl Encoder<'_> {
    /// An edge of the program, block or single operation.
    pub fn edge(&self, edge: &Edge, from: &State, part: &mut Part) -> Result<Encoded, Uninlined> {
        match edge.op {
            Op::Block(block) => {
                let block = self.program.blocks[block];
                self.region(&self.program.regions[block.region], block.exit, from, part)
            }
            _ => {
                let mut state = from.clone();
                let effect = self.op(&edge.op, edge.origin, edge.calls, &mut state, part)?;
                let guard = effect.guard.unwrap_or(self.terms.tru());
                let taken = Taken {
                    from: 0,
                    to: 1,
                    taken: guard,
                    origin: edge.origin,
                    calls: edge.calls,
                    chosen: effect.chosen,
                    unsupported: effect.unsupported,
                };
                Ok(Encoded { guard, state, edges: vec![taken], exit: 1 })
            }
        }
    }

    /// All paths of a region from its entry to one exit.
    pub fn region(
        &self,
        region: &Region,
        exit: u32,
        from: &State,
        part: &mut Part,
    ) -> Result<Encoded, Uninlined> {
        let relevant = leading_to(region, exit);
        let count = (region.inner + region.exits) as usize;
        // Arrivals at each node not yet reached: index of the edge, guard, state.
        let mut arrivals: Vec<Vec<(usize, TermId, Rc<State>)>> = vec![Vec::new(); count];
        let mut edges: Vec<Taken> = Vec::new();
        let mut node = (0u32, self.terms.tru(), Rc::new(from.clone()));
        let mut rest = region.edges.iter().filter(|e| relevant[e.to as usize]).peekable();
        // Edges are ordered by their source, and sources by the topological order.
        while let Some(inner) = rest.next() {
            if inner.from != node.0 {
                node = self.join(
                    inner.from,
                    std::mem::take(&mut arrivals[inner.from as usize]),
                    &mut edges,
                    part,
                );
            }
            self.inner_edge(inner, &node, &mut edges, &mut arrivals, part)?;
            debug_assert!(
                rest.peek().is_none_or(|next| next.from >= inner.from),
                "edges in topological order"
            );
        }
        let (_, guard, state) =
            self.join(exit, std::mem::take(&mut arrivals[exit as usize]), &mut edges, part);
        let state = Rc::try_unwrap(state).unwrap_or_else(|shared| (*shared).clone());
        Ok(Encoded { guard, state, edges, exit })
    }

    fn inner_edge(
        &self,
        inner: &Inner,
        (_, guard, state): &(u32, TermId, Rc<State>),
        edges: &mut Vec<Taken>,
        arrivals: &mut [Vec<(usize, TermId, Rc<State>)>],
        part: &mut Part,
    ) -> Result<(), Uninlined> {
        if self.terms.is_false(*guard) {
            return Ok(());
        }
        // The common operations change nothing: they share the state.
        let (effect, after) = match inner.op {
            Op::Assume(_) | Op::Skip => {
                let mut same = (**state).clone();
                let effect = self.op(&inner.op, inner.origin, inner.calls, &mut same, part)?;
                (effect, Rc::clone(state))
            }
            _ => {
                let mut after = (**state).clone();
                let effect = self.op(&inner.op, inner.origin, inner.calls, &mut after, part)?;
                (effect, Rc::new(after))
            }
        };
        let taken = match effect.guard {
            Some(condition) => self.terms.and([*guard, condition]),
            None => *guard,
        };
        if self.terms.is_false(taken) {
            return Ok(());
        }
        arrivals[inner.to as usize].push((edges.len(), taken, after));
        edges.push(Taken {
            from: inner.from,
            to: inner.to,
            taken,
            origin: inner.origin,
            calls: inner.calls,
            chosen: effect.chosen,
            unsupported: effect.unsupported,
        });
        Ok(())
    }

    /// Guard and state at a node, from what arrives there.
    fn join(
        &self,
        node: u32,
        arrivals: Vec<(usize, TermId, Rc<State>)>,
        edges: &mut [Taken],
        part: &mut Part,
    ) -> (u32, TermId, Rc<State>) {
        let indices: Vec<usize> = arrivals.iter().map(|a| a.0).collect();
        let states = arrivals.into_iter().map(|(_, taken, state)| (taken, state)).collect();
        let (guard, state, selectors) = self.join_states(states, part);
        for (edge, selector) in indices.into_iter().zip(selectors) {
            edges[edge].taken = selector;
        }
        (node, guard, state)
    }

    /// Joins guarded states: the guard that one of them was taken, the state then, and for each a term that holds if it is
    /// the one.
    pub fn join_states(
        &self,
        mut arrivals: Vec<(TermId, Rc<State>)>,
        part: &mut Part,
    ) -> (TermId, Rc<State>, Vec<TermId>) {
        let t = &self.terms;
        match arrivals.len() {
            // Nothing leads here; the state does not matter.
            0 => return (t.fls(), Rc::new(self.symbols(None)), Vec::new()),
            1 => {
                let (guard, state) = arrivals.remove(0);
                return (guard, state, vec![guard]);
            }
            _ => {}
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
        for cell in self.memory.cells().indices() {
            phi(&mut joined.cells[cell], &|s| s.cells[cell], part);
        }
        phi(&mut joined.heap, &|s| s.heap, part);
        (guard, Rc::new(joined), selectors)
    }
}

/// For each node of the region, whether the exit can be reached from it.
fn leading_to(region: &Region, exit: u32) -> Vec<bool> {
    let mut relevant = vec![false; (region.inner + region.exits) as usize];
    relevant[exit as usize] = true;
    for edge in region.edges.iter().rev() {
        if relevant[edge.to as usize] {
            relevant[edge.from as usize] = true;
        }
    }
    relevant
}
