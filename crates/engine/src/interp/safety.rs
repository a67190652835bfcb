//! The attribute S: universal safety interpolants (RSE, III.A).
//!
//! A *full* region of a location is a set of states from which no run comes to the error. The document's rule is unsound where it takes the last
//! reachable state for full whatever its other edges do, and undefined where it conjoins what different paths say. So here a region is full edge by edge: for every
//! block that leaves the location it blocks the block, or it implies that the block leads into full regions of its target. A location has several regions, none of which is ever
//! strengthened. At the error `false` is full, where nothing leads to the error `true` is, and all other locations are half at first.
//!
//! Along an infeasible path regions are made from the last reachable state backwards, as long as locations become full (the document: the one before `l2` is
//! not updated, "since `l2` is half"). A region is what is needed, by unsatisfiable cores, of what is known at that place of the path: its interpolant and its label. What is said of
//! locations that stay half is kept: [`super::cycle`] makes whole cycles of it full.
//!
//! Invariant: the union of the full regions of all locations is closed under all blocks and excludes the error. So it can be joined to a certificate as it is.

use super::steps::{Beside, Steps};
use crate::workbench::Workbench;
use craig_cfa::{BlockGraph, BlockId, LocId};
use craig_logic::{TermId, Terms};
use craig_verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// Of the work of the search a sixteenth.
const SHARE: u64 = 16;
/// Some hundredths of a second in any case. (With a sixth and 1,000,000 protocols of the set `ic3` took up to twice as long as without S and E.)
const FREE: u64 = 200_000;
/// Full regions of a location: each is one more disjunct of every question about it. Not tuned.
const MOST_REGIONS: usize = 12;
/// Formulas that are kept of a location that is half, the newest.
const MOST_HALF: usize = 60;

/// Why a successor need not be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    Infeasible,
    BySafety,
}

#[derive(Debug)]
pub struct Safety {
    pub steps: Steps,
    /// Full regions.
    full: FxHashMap<LocId, Vec<TermId>>,
    /// What paths said of locations: conjuncts that held there on some path.
    pub(super) half: FxHashMap<LocId, Vec<TermId>>,
    /// Regions that say which values a variable has. Labels say that by themselves.
    pub(super) of_values: FxHashSet<TermId>,
    /// Locations whose regions ended paths.
    used: FxHashSet<LocId>,
    /// Regions are as weak as the blocks allow, where that can be said of a state.
    weakest: bool,
    error: LocId,
}

impl Safety {
    pub fn new(bench: &Workbench<'_>, solver: &Beside, weakest: bool) -> Self {
        let error = bench.program().error;
        let useful = bench.graph.before(error);
        let ends = bench.graph.blocks().iter().map(|block| block.to).filter(|loc| !useful.contains(loc));
        let mut full: FxHashMap<LocId, Vec<TermId>> =
            ends.map(|loc| (loc, vec![bench.terms.tru()])).collect();
        full.insert(error, vec![bench.terms.fls()]);
        Safety {
            steps: Steps::new(solver, SHARE, FREE),
            full,
            half: FxHashMap::default(),
            of_values: FxHashSet::default(),
            used: FxHashSet::default(),
            weakest,
            error,
        }
    }

    /// Whether a location has a full region, apart from the error.
    pub fn is_full(&self, loc: LocId) -> bool {
        loc != self.error && self.full.contains_key(&loc)
    }

    /// All full regions of a location together; `false` if it has none.
    pub fn region(&self, terms: &Terms, loc: LocId) -> TermId {
        terms.or(self.regions(loc).iter().copied())
    }

    /// The full regions of a location, the oldest first.
    pub fn regions(&self, loc: LocId) -> &[TermId] {
        self.full.get(&loc).map_or(&[], Vec::as_slice)
    }

    /// The regions of a location that labels may be strengthened for, the newest first.
    pub fn worth_forcing(&self, loc: LocId) -> impl Iterator<Item = TermId> {
        self.regions(loc).iter().rev().copied().filter(|region| !self.of_values.contains(region))
    }

    /// Full locations, those that are half of which something is known, and the regions of the former. Ends and error do not count.
    pub fn counts(&self, terms: &Terms) -> (usize, usize, usize) {
        let learnt = |regions: &&Vec<TermId>| regions.iter().any(|r| !terms.is_true(*r));
        let full = self.full.iter().filter(|(loc, r)| **loc != self.error && learnt(r)).count();
        let half = self.half.keys().filter(|loc| !self.full.contains_key(loc)).count();
        let regions = self.full.iter().filter(|(loc, r)| **loc != self.error && learnt(r));
        (full, half, regions.map(|(_, r)| r.len()).sum())
    }

    /// Does every state of the premise that passes the block get into full regions? Then what lies behind it need not be followed.
    pub fn saves(
        &mut self,
        bench: &mut Workbench<'_>,
        premise: TermId,
        block: BlockId,
    ) -> Result<Option<Saved>, Reason> {
        let to = bench.graph.block(block).to;
        if !self.is_full(to) {
            return Ok(None);
        }
        let goal = self.region(&bench.terms, to);
        let needed = self.steps.needed(bench, &[premise], block, goal)?;
        Ok(needed.map(|needed| match needed.infeasible {
            true => Saved::Infeasible,
            false => {
                self.used(to);
                Saved::BySafety
            }
        }))
    }

    /// A region of the location ended a path.
    fn used(&mut self, loc: LocId) {
        self.used.insert(loc);
        self.steps.was_useful();
    }

    /// Do all states of the premise lie in full regions of the location?
    pub fn contains(&mut self, bench: &Workbench<'_>, premise: TermId, loc: LocId) -> Result<bool, Reason> {
        if !self.is_full(loc) {
            return Ok(false);
        }
        let goal = self.region(&bench.terms, loc);
        let inside = self.steps.implies(bench, premise, goal)?;
        if inside {
            self.used(loc);
        }
        Ok(inside)
    }

    /// Learns from a path that is infeasible: from its last reachable state backwards, of each location what is known there. The locations that have a new full region.
    pub fn learn(
        &mut self,
        bench: &mut Workbench<'_>,
        path: &[(LocId, Vec<TermId>)],
    ) -> Result<Vec<LocId>, Reason> {
        for (loc, known) in path {
            self.note(&bench.terms, *loc, known);
        }
        let mut news = Vec::new();
        for (loc, known) in path.iter().rev() {
            match self.make_full(bench, *loc, known)? {
                None => break,
                Some(true) => news.push(*loc),
                Some(false) => {}
            }
        }
        Ok(news)
    }

    /// Makes a location full with what is known there; `None` if it stays half, otherwise whether the region is new.
    pub fn make_full(
        &mut self,
        bench: &mut Workbench<'_>,
        loc: LocId,
        known: &[TermId],
    ) -> Result<Option<bool>, Reason> {
        let (terms, graph) = (Rc::clone(&bench.terms), Arc::clone(&bench.graph));
        let mut region: BTreeSet<TermId> = BTreeSet::new();
        for block in graph.leaving(loc) {
            let goal = self.region(&terms, graph.block(*block).to);
            match self.steps.needed(bench, known, *block, goal)? {
                None => return Ok(None),
                Some(needed) => match self.precondition(bench, *block, goal)? {
                    Some(weakest) => region.extend(terms.conjuncts(weakest).iter()),
                    None => region.extend(needed.premises),
                },
            }
        }
        self.add(bench, loc, terms.and(region)).map(Some)
    }

    /// Whether there is no room for another region of a location.
    fn has_many(&self, loc: LocId) -> bool {
        self.regions(loc).len() >= MOST_REGIONS
    }

    /// Adds a full region; whether it has states that the location's others do not have.
    fn add(&mut self, bench: &Workbench<'_>, loc: LocId, region: TermId) -> Result<bool, Reason> {
        let known = self.region(&bench.terms, loc);
        if loc == self.error || self.has_many(loc) || self.steps.implies(bench, region, known)? {
            return Ok(false);
        }
        self.full.entry(loc).or_default().push(region);
        Ok(true)
    }

    /// Adds full regions that rely on each other, all of them or none; the locations at which one has states that the others there do not have.
    pub(super) fn add_together(
        &mut self,
        bench: &Workbench<'_>,
        regions: Vec<(LocId, TermId)>,
    ) -> Result<Vec<LocId>, Reason> {
        let mut news = Vec::new();
        if regions.iter().any(|(loc, _)| self.has_many(*loc)) {
            return Ok(news);
        }
        for (loc, region) in regions {
            if self.add(bench, loc, region)? {
                news.push(loc);
            }
        }
        Ok(news)
    }

    /// The weakest precondition of the goal, if it can be said of a state in a few atoms (TRACER).
    fn precondition(
        &mut self,
        bench: &mut Workbench<'_>,
        block: BlockId,
        goal: TermId,
    ) -> Result<Option<TermId>, Reason> {
        const ATOMS: usize = 8;
        if !self.weakest {
            return Ok(None);
        }
        let formula = bench.formula(block)?;
        let (terms, slots) = (&bench.terms, &bench.slots);
        let passes = terms.and(formula.constraints.iter().copied());
        let weakest = terms.or([terms.not(passes), formula.before(terms, slots, goal)]);
        let of_state = terms.symbols_of(weakest).iter().all(|s| !slots.is_local(terms.symbol_term(*s)));
        Ok(Some(weakest).filter(|w| of_state && terms.atoms(&[*w]).len() <= ATOMS))
    }

    /// Takes down what may be worth a region of a location.
    pub fn note(&mut self, terms: &Terms, loc: LocId, known: &[TermId]) {
        let half = self.half.entry(loc).or_default();
        for formula in known {
            if !terms.is_true(*formula) && !terms.is_false(*formula) && !half.contains(formula) {
                half.push(*formula);
            }
        }
        half.drain(..half.len().saturating_sub(MOST_HALF));
    }

    /// What a certificate has to say besides labels: the regions of every location that runs come to from where one was used.
    pub fn claims(&self, graph: &BlockGraph) -> FxHashSet<LocId> {
        let mut found: Vec<LocId> = self.used.iter().copied().collect();
        let mut seen = self.used.clone();
        while let Some(loc) = found.pop() {
            for block in graph.leaving(loc) {
                let to = graph.block(*block).to;
                if self.is_full(to) && seen.insert(to) {
                    found.push(to);
                }
            }
        }
        seen
    }
}
