//! Full regions of whole cycles.
//!
//! Edge by edge a loop head never becomes full, unless its back edge is blocked: it would have to be full already (a least fixpoint). So the regions of all
//! locations that can be reached from a loop head are accepted together, if they are inductive over all their blocks. They are sought among what paths said of these locations: all of it that
//! holds where the path comes to the head is assumed, what some block does not preserve is taken back until nothing changes (HOUDINI), and
//! if what is left excludes the error, only what that needs is kept, by unsatisfiable cores. So the regions are as weak as their formulas allow.
//!
//! It is not asked whether all runs come to the head with such states. That is the difference to an invariant: others may come another way, and are not saved.

use super::safety::Safety;
use crate::workbench::Workbench;
use craig_cfa::{BlockGraph, BlockId, LocId};
use craig_logic::TermId;
use craig_verdict::Reason;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// A cycle with more blocks around it is too much work. Not tuned.
const MOST_BLOCKS: usize = 60;

/// Formulas by location.
type Regions = BTreeMap<LocId, Vec<TermId>>;

impl Safety {
    /// Tries to make the target of a block full, and all that can be reached from there, for the states that come through the block from
    /// the premises; the locations that have a new region.
    pub fn close(
        &mut self,
        bench: &mut Workbench<'_>,
        premises: &[TermId],
        block: BlockId,
    ) -> Result<Vec<LocId>, Reason> {
        let graph = Arc::clone(&bench.graph);
        let head = graph.block(block).to;
        let Some(scope) = self.scope(&graph, head) else { return Ok(Vec::new()) };
        let known = |loc: &LocId| (*loc, self.half.get(loc).cloned().unwrap_or_default());
        let mut left: Regions = scope.iter().map(known).collect();
        if let Some(at_head) = left.get_mut(&head) {
            self.steps.retain(bench, premises, block, at_head)?;
        }
        // What all formulas together do not exclude some of them do not either; and what leads here from elsewhere need not preserve anything.
        loop {
            let safe = self.excluding(bench, &graph, &left)?;
            let before = left.len();
            left.retain(|loc, _| safe.contains(loc));
            if left.is_empty() || !self.steps.may_go_on(bench) {
                return Ok(Vec::new());
            }
            if !self.preserve(bench, &graph, &mut left)? && left.len() == before {
                break;
            }
        }
        let safe: BTreeSet<LocId> = left.keys().copied().collect();
        let Some(needed) = self.needed(bench, &graph, &left, &safe)? else { return Ok(Vec::new()) };
        let regions = needed.into_iter().map(|(loc, region)| (loc, bench.terms.and(region))).collect();
        self.add_together(bench, regions)
    }

    /// The locations that can be reached from one, without the error; `None` if that is too much.
    pub(super) fn scope(&self, graph: &BlockGraph, from: LocId) -> Option<BTreeSet<LocId>> {
        let mut found = BTreeSet::from([from]);
        let mut open = vec![from];
        let mut blocks = 0;
        while let Some(loc) = open.pop() {
            blocks += graph.leaving(loc).len();
            if blocks > MOST_BLOCKS {
                return None;
            }
            for block in graph.leaving(loc) {
                let to = graph.block(*block).to;
                if self.may_follow(graph, to) && found.insert(to) {
                    open.push(to);
                }
            }
        }
        Some(found)
    }

    /// The error and the ends of runs need no formula of their own.
    fn may_follow(&self, graph: &BlockGraph, loc: LocId) -> bool {
        !graph.leaving(loc).is_empty()
    }

    /// Takes back what blocks between these locations do not preserve; whether there was such. What gets into regions that are full already needs no more.
    fn preserve(
        &mut self,
        bench: &mut Workbench<'_>,
        graph: &BlockGraph,
        left: &mut Regions,
    ) -> Result<bool, Reason> {
        let terms = Rc::clone(&bench.terms);
        let mut lost = false;
        let mut open: BTreeSet<BlockId> = left.keys().flat_map(|loc| graph.leaving(*loc)).copied().collect();
        while let Some(block) = open.pop_first() {
            let (from, to) = (graph.block(block).from, graph.block(block).to);
            if !self.steps.may_go_on(bench) {
                break;
            }
            let premises = left[&from].clone();
            let Some(mut wanted) = left.get(&to).filter(|w| !w.is_empty()).cloned() else { continue };
            if self.is_full(to) {
                let goal = self.region(&terms, to);
                if self.steps.needed(bench, &premises, block, goal)?.is_some() {
                    continue;
                }
            }
            let many = wanted.len();
            self.steps.retain(bench, &premises, block, &mut wanted)?;
            if wanted.len() < many {
                lost = true;
                left.insert(to, wanted);
                open.extend(graph.leaving(to));
            }
        }
        Ok(lost)
    }

    /// The locations from which what is left keeps runs away from the error: each block is blocked, leads into full regions, or to another such location.
    fn excluding(
        &mut self,
        bench: &mut Workbench<'_>,
        graph: &BlockGraph,
        left: &Regions,
    ) -> Result<BTreeSet<LocId>, Reason> {
        let terms = Rc::clone(&bench.terms);
        let mut safe: BTreeSet<LocId> = left.keys().copied().collect();
        loop {
            let before = safe.len();
            for (loc, premises) in left {
                for block in graph.leaving(*loc) {
                    let to = graph.block(*block).to;
                    if !safe.contains(loc) || safe.contains(&to) {
                        continue;
                    }
                    let goal = self.region(&terms, to);
                    if self.steps.needed(bench, premises, *block, goal)?.is_none() {
                        safe.remove(loc);
                    }
                }
            }
            if safe.len() == before {
                return Ok(safe);
            }
        }
    }

    /// What of these regions is needed, so that they are still closed and exclude the error; `None` if a question took too much work.
    fn needed(
        &mut self,
        bench: &mut Workbench<'_>,
        graph: &BlockGraph,
        left: &Regions,
        safe: &BTreeSet<LocId>,
    ) -> Result<Option<BTreeMap<LocId, BTreeSet<TermId>>>, Reason> {
        let terms = Rc::clone(&bench.terms);
        let mut needed: BTreeMap<LocId, BTreeSet<TermId>> =
            safe.iter().map(|loc| (*loc, BTreeSet::new())).collect();
        let mut open: BTreeSet<BlockId> = safe.iter().flat_map(|loc| graph.leaving(*loc)).copied().collect();
        while let Some(block) = open.pop_last() {
            let (from, to) = (graph.block(block).from, graph.block(block).to);
            let premises = &left[&from];
            let goal = self.region(&terms, to);
            let mut found = match terms.is_false(goal) && safe.contains(&to) {
                true => None,
                false => self.steps.needed(bench, premises, block, goal)?,
            };
            if let (None, Some(wanted)) = (&found, needed.get(&to)) {
                let goal = terms.and(wanted.iter().copied());
                found = self.steps.needed(bench, premises, block, goal)?;
            }
            let Some(found) = found else { return Ok(None) };
            let here = needed.entry(from).or_default();
            let before = here.len();
            here.extend(found.premises);
            if here.len() > before {
                open.extend(graph.entering(from).iter().filter(|b| safe.contains(&graph.block(**b).from)));
            }
        }
        Ok(Some(needed))
    }
}
