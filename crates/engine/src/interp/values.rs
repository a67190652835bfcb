//! Full regions that say which values a discrete variable has ([`crate::discrete`]).
//!
//! The invariants of protocols are disjunctions over states, and no path says one: each says of one state that the error is near. But what a single path cannot say is quickly found out for a
//! variable with few values: from which of them no run comes to the error, whatever else holds. That is a greatest fixpoint. Of all values of the variable at a loop head, and at the locations behind it, those are taken back from which
//! a block leads to the error, or to a value that was taken back; each question to the solver takes back at least one, so there are about as many questions as values.
//!
//! It is asked once for each loop head and variable, when an explanation mentions the variable there.

use super::safety::Safety;
use super::steps::Step;
use crate::workbench::Workbench;
use craig_cfa::{BlockId, LocId};
use craig_logic::{Evaluator, TermId};
use craig_verdict::Reason;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

impl Safety {
    /// Makes a loop head, and locations behind it, full for values of a variable, of which all are given as comparisons; the locations that have a new region.
    pub fn close_values(
        &mut self,
        bench: &mut Workbench<'_>,
        head: LocId,
        values: &[TermId],
    ) -> Result<Vec<LocId>, Reason> {
        let (terms, graph) = (Rc::clone(&bench.terms), Arc::clone(&bench.graph));
        let Some(scope) = self.scope(&graph, head) else { return Ok(Vec::new()) };
        let mut left: BTreeMap<LocId, Vec<TermId>> =
            scope.iter().map(|loc| (*loc, values.to_vec())).collect();
        let mut open: BTreeSet<BlockId> = scope.iter().flat_map(|loc| graph.leaving(*loc)).copied().collect();
        while let Some(block) = open.pop_first() {
            let (from, to) = (graph.block(block).from, graph.block(block).to);
            let behind = left.get(&to).map_or(&[][..], Vec::as_slice);
            let goal = terms.or(behind.iter().copied().chain([self.region(&terms, to)]));
            while let Some(here) = left.get_mut(&from).filter(|here| !here.is_empty()) {
                let many = here.len();
                let premise = terms.or(here.iter().copied());
                match self.steps.step(bench, premise, block, goal)? {
                    Step::Holds => break,
                    Step::Violated(model) => {
                        let mut values = Evaluator::new(&terms, &model);
                        here.retain(|value| !values.holds(*value));
                    }
                    Step::TooMuchWork => here.clear(),
                }
                if here.len() == many {
                    here.clear();
                }
                open.extend(graph.entering(from).iter().filter(|b| scope.contains(&graph.block(**b).from)));
            }
        }
        left.retain(|_, here| !here.is_empty());
        let regions: Vec<(LocId, TermId)> =
            left.into_iter().map(|(loc, here)| (loc, terms.or(here))).collect();
        self.of_values.extend(regions.iter().map(|(_, region)| *region));
        self.add_together(bench, regions)
    }
}
