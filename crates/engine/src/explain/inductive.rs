//! What of all that was found is inductive.
//!
//! Formulas that explain single paths are no invariants, but many of them together may be: all that were found are assumed at their locations, and what a block does not preserve is taken
//! back, until nothing changes (HOUDINI). What is left holds wherever runs come, and can be added everywhere. It keeps unwindings from going through a loop again and again for want of one formula at one node.
//! So does which values of discrete variables come together ([`combinations`](super::combinations)).
//!
//! Tried for slicing too and taken back: three of five programs got slower.

use crate::discrete::Discrete;
use crate::explain::combinations::Combinations;
use crate::explain::{Heuristic, Heuristics};
use crate::formulas::{Sessions, Wanted};
use crate::workbench::Workbench;
use craig_cfa::{BlockId, LocId};
use craig_logic::TermId;
use craig_verdict::Reason;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Work for a question; one that takes more has the answer that is always right: nothing is preserved. Some hundredths of a second.
const WORK: u32 = 500_000;
/// Formulas at a location, the newest.
const MOST: usize = 200;

#[derive(Debug)]
pub struct Inductive {
    heuristics: Heuristics,
    discrete: Rc<Discrete>,
    combinations: Combinations,
    sessions: Sessions,
    found: BTreeMap<LocId, Vec<TermId>>,
    proved: BTreeMap<LocId, BTreeSet<TermId>>,
    /// Something is new.
    due: bool,
}

impl Inductive {
    pub fn new(bench: &Workbench<'_>, heuristics: Heuristics, discrete: Rc<Discrete>) -> Self {
        Inductive {
            heuristics,
            discrete,
            combinations: Combinations::default(),
            sessions: Sessions::new(bench),
            found: BTreeMap::new(),
            proved: BTreeMap::new(),
            due: false,
        }
    }

    /// What holds wherever runs come to a location.
    pub fn at(&self, loc: LocId) -> impl Iterator<Item = TermId> + '_ {
        self.proved.get(&loc).into_iter().flatten().copied()
    }

    /// Takes down what was found at a location.
    pub fn note(&mut self, bench: &Workbench<'_>, loc: LocId, formula: TermId) {
        if self.heuristics.has(Heuristic::Combinations) {
            self.combinations.note(bench, &self.discrete, loc, formula);
        }
        if !self.heuristics.has(Heuristic::Inductive) {
            return;
        }
        let found = self.found.entry(loc).or_default();
        for conjunct in bench.terms.conjuncts(formula).iter() {
            if !bench.terms.is_false(*conjunct) && !found.contains(conjunct) {
                found.push(*conjunct);
                self.due = true;
            }
        }
        found.drain(..found.len().saturating_sub(MOST));
    }

    /// Looks for more that is inductive, if something is new: the locations where there is.
    pub fn grow(&mut self, bench: &mut Workbench<'_>) -> Result<BTreeSet<LocId>, Reason> {
        let mut grown = BTreeSet::new();
        for (loc, formula) in self.combinations.found(bench)? {
            self.add(loc, bench.terms.conjuncts(formula).iter().copied(), &mut grown);
        }
        if std::mem::take(&mut self.due) {
            for (loc, formulas) in self.preserved(bench)? {
                self.add(loc, formulas, &mut grown);
            }
        }
        Ok(grown)
    }

    fn add(&mut self, loc: LocId, formulas: impl IntoIterator<Item = TermId>, grown: &mut BTreeSet<LocId>) {
        let proved = self.proved.entry(loc).or_default();
        let before = proved.len();
        proved.extend(formulas);
        if proved.len() > before {
            grown.insert(loc);
        }
    }

    /// The formulas that all blocks preserve together.
    fn preserved(&mut self, bench: &mut Workbench<'_>) -> Result<BTreeMap<LocId, BTreeSet<TermId>>, Reason> {
        let graph = Arc::clone(&bench.graph);
        let mut left: BTreeMap<LocId, BTreeSet<TermId>> =
            self.found.iter().map(|(loc, found)| (*loc, found.iter().copied().collect())).collect();
        for (loc, proved) in &self.proved {
            left.entry(*loc).or_default().extend(proved);
        }
        let mut open: BTreeSet<BlockId> = graph.blocks().indices().collect();
        while let Some(block) = open.pop_first() {
            let (from, to) = (graph.block(block).from, graph.block(block).to);
            let premise: Vec<TermId> = left.get(&from).into_iter().flatten().copied().collect();
            let Some(wanted) = left.get_mut(&to) else { continue };
            let formula = bench.formula(block)?;
            let (terms, slots) = (&bench.terms, &bench.slots);
            let with_before = |w: &TermId| Wanted { behind: *w, before: formula.before(terms, slots, *w) };
            let mut kept: Vec<Wanted> = wanted.iter().map(with_before).collect();
            self.sessions.retain(block, &formula, &premise, &mut kept, WORK)?;
            let kept: BTreeSet<TermId> = kept.into_iter().map(|w| w.behind).collect();
            let size = wanted.len();
            let proved = self.proved.get(&to);
            wanted.retain(|w| kept.contains(w) || proved.is_some_and(|p| p.contains(w)));
            if wanted.len() < size {
                open.extend(graph.leaving(to));
            }
        }
        Ok(left)
    }
}
