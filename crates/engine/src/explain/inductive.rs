//! What of all that was found is inductive.
//!
//! Formulas that explain single paths are no invariants, but many of them together may be: all that were found are assumed at their locations, and what a block does not preserve is taken
//! back, until nothing changes (HOUDINI). What is left holds wherever runs come, and can be added everywhere. It keeps unwindings from going through a loop again and again for want of one formula at one node.
//!
//! Tried for slicing too and taken back: three of five programs got slower.

use crate::formulas::Sessions;
use crate::workbench::Workbench;
use craig_cfa::{BlockId, LocId};
use craig_logic::{Evaluator, TermId, Terms};
use craig_smt::Status;
use craig_verdict::Reason;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Work for a question; one that takes more has the answer that is always right: nothing is preserved. Some hundredths of a second.
const WORK: u32 = 500_000;
/// Formulas at a location, the newest.
const MOST: usize = 200;

#[derive(Debug)]
pub struct Inductive {
    sessions: Sessions,
    found: BTreeMap<LocId, Vec<TermId>>,
    proved: BTreeMap<LocId, BTreeSet<TermId>>,
    /// Something is new.
    due: bool,
}

impl Inductive {
    pub fn new(bench: &Workbench<'_>) -> Self {
        Inductive {
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
    pub fn note(&mut self, terms: &Terms, loc: LocId, formula: TermId) {
        let found = self.found.entry(loc).or_default();
        for conjunct in terms.conjuncts(formula).iter() {
            if !terms.is_false(*conjunct) && !found.contains(conjunct) {
                found.push(*conjunct);
                self.due = true;
            }
        }
        found.drain(..found.len().saturating_sub(MOST));
    }

    /// Looks for more that is inductive, if something is new: the locations where there is.
    pub fn grow(&mut self, bench: &mut Workbench<'_>) -> Result<Vec<LocId>, Reason> {
        if !std::mem::take(&mut self.due) {
            return Ok(Vec::new());
        }
        let left = self.preserved(bench)?;
        let mut grown = Vec::new();
        for (loc, formulas) in left {
            let proved = self.proved.entry(loc).or_default();
            let before = proved.len();
            proved.extend(formulas);
            if proved.len() > before {
                grown.push(loc);
            }
        }
        Ok(grown)
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
            let mut before: FxHashMap<TermId, TermId> =
                wanted.iter().map(|w| (*w, formula.before(terms, slots, *w))).collect();
            let size = wanted.len();
            let about: Vec<TermId> = premise.iter().chain(before.values()).copied().collect();
            let session = self.sessions.get(block, &formula, &about);
            session.set_work_limit(WORK);
            while !before.is_empty() {
                let violated = terms.or(before.values().map(|b| terms.not(*b)));
                let question: Vec<TermId> = premise.iter().copied().chain([violated]).collect();
                let kept = before.len();
                match session.check_assuming(&question) {
                    Status::Unsat => break,
                    Status::Sat => {
                        if let Some(model) = session.model() {
                            let mut values = Evaluator::new(terms, &model);
                            before.retain(|_, b| values.holds(*b));
                        }
                    }
                    Status::Unknown(why) if !why.gave_up() => return Err(why.into()),
                    Status::Unknown(_) => {}
                }
                if before.len() == kept {
                    before.clear();
                }
            }
            let proved = self.proved.get(&to);
            wanted.retain(|w| before.contains_key(w) || proved.is_some_and(|p| p.contains(w)));
            if wanted.len() < size {
                open.extend(graph.leaving(to));
            }
        }
        Ok(left)
    }
}
