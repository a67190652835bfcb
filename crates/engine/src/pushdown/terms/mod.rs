//! Pushdown systems whose rules are formulas over integers (`--domain smt`; PDS, chapter 5): recursion of any depth, procedures once each.
//!
//! A cycle searches the abstract system ([`reach`]). If it reaches the error, the way there is a tree of calls ([`tree`]): an execution, or a reason for new
//! predicates, which are the atoms of its interpolants. If it does not, what is known at entries, exits and loops is a proof by procedures.
//!
//! | module | holds | the paper |
//! |---|---|---|
//! | [`rules`] | what happens between control points | chapter 2 |
//! | [`predicates`] | predicates per control point, images of rules | 4.1, 5.3 |
//! | [`reach`] | the search with its reasons | 2.3, 4.2 |
//! | [`tree`] | counterexamples | 4.3, 5.2 |
//!
//! # Deviations
//! - A rule goes from cut to cut, not over one statement: predicates are needed only there.
//! - Rules are not abstracted beforehand. Their images of the abstract states that are reached are asked for, which is the same and asks less.
//! - A counterexample is one tree, not a graph of all: interpolants of trees are what there is for integers.
//!
//! # Not here
//! - Contracts about memory without a name: what is allocated, and variables of procedures with many activations that pointers lead to ([`craig_verdict::separate`]).

mod predicates;
mod reach;
mod rules;
mod tree;

use super::{Options, timed};
use crate::options::Interpolation;
use crate::procedures::Divided;
use crate::procedures::certificate::Formulas;
use crate::run::{Control, Found, Observer, Progress, Search, Stats};
use crate::task::Task;
use craig_base::Budget;
use craig_cfa::{LocId, ProcId};
use craig_encode::memory::AddressMap;
use craig_encode::{Arith, Encoder, Layout, Options as Encoding};
use craig_logic::{TermId, Terms};
use craig_smt::interpolate::{self, Hints, NoInterpolant};
use craig_smt::{Smt, Undecided};
use craig_verdict::separate::Separated;
use craig_verdict::{NoProgress, Outcome, Reason, check};
use predicates::System;
use reach::{Reached, search};
use std::rc::Rc;
use std::time::Duration;
use tree::Tree;

pub fn run(task: &Task, arith: Arith, options: &Options, control: &mut Control<'_>) -> Found {
    let (budget, interpolation) = (control.budget, options.interpolation);
    control.run(Question { task, arith, interpolation, budget, smt: None, counts: Counts::default() })
}

/// What is counted.
#[derive(Default)]
struct Counts {
    cycles: u64,
    points: usize,
    rules: usize,
    predicates: (usize, usize),
    computed: u64,
    remembered: u64,
    witness: usize,
    tree: usize,
    search: Duration,
    refinement: Duration,
}

struct Question<'t> {
    task: &'t Task,
    arith: Arith,
    interpolation: Interpolation,
    budget: &'t Budget,
    smt: Option<Smt>,
    counts: Counts,
}

fn gave_up(words: &str) -> Reason {
    Reason::Solver(Undecided::Incomplete(words.into()))
}

impl Search for Question<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        let source = &*self.task.source;
        let separated = Separated::new(source, self.budget)?;
        let layout = Layout::new(&separated.program, &separated.seen, &AddressMap::new(), self.budget)?;
        let terms = Rc::new(Terms::new());
        let smt =
            Smt::new(Rc::clone(&terms), self.budget.clone()).map_err(|e| Reason::Internal(e.to_string()))?;
        self.smt = Some(smt.clone());
        let options = Encoding { arith: self.arith, signed_wrap: self.task.signed_wrap };
        let encoder = Encoder::new(&separated.program, &layout, terms, options);
        let divided = Divided::new(source, &separated, &encoder, self.budget)?;
        let mut system = System::new(&divided, smt);
        (self.counts.points, self.counts.rules) = (divided.segments.len(), system.rules.len());
        loop {
            if let Some(outcome) = self.cycle(&mut system, observer)? {
                return Ok(outcome);
            }
        }
    }

    fn report(&self, stats: &mut Stats) {
        let counts = &self.counts;
        stats.set("cycles", counts.cycles as f64);
        stats.set("interpolations", counts.cycles as f64);
        stats.set("points", counts.points as f64);
        stats.set("rules", counts.rules as f64);
        stats.set("predicates_total", counts.predicates.0 as f64);
        stats.set("predicates_max", counts.predicates.1 as f64);
        stats.set("abstractions", counts.computed as f64);
        stats.set("abstraction_cache_hits", counts.remembered as f64);
        stats.set("witness_nodes", counts.witness as f64);
        stats.set("tree_nodes", counts.tree as f64);
        stats.time("search_s", counts.search);
        stats.time("refinement_s", counts.refinement);
        self.smt.iter().for_each(|smt| stats.solver(smt));
    }
}

impl Question<'_> {
    /// Searches the abstract system, and refines it if what it finds is no execution.
    fn cycle(
        &mut self,
        system: &mut System<'_, '_>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Outcome>, Reason> {
        self.counts.predicates = system.sizes();
        let phase = format!("cycle {}, {} predicates", self.counts.cycles, self.counts.predicates.0);
        observer.progress(&Progress { phase, solver_calls: system.smt.stats().checks });
        let reached = timed(&mut self.counts.search, || search(system, self.budget));
        (self.counts.computed, self.counts.remembered) = (system.computed, system.remembered);
        let reached = reached?;
        self.counts.witness = self.counts.witness.max(reached.nodes.len());
        let Some(error) = reached.error else {
            return self.safe(system, &reached).map(Some);
        };
        let mut refinement = Duration::ZERO;
        let found = timed(&mut refinement, || {
            let tree = Tree::new(system, &reached, error);
            let tree = tree.ok_or_else(|| gave_up("a tree of calls that is too large"))?;
            self.counts.tree = self.counts.tree.max(tree.places.len());
            self.explain(&tree, observer)
        });
        self.counts.refinement += refinement;
        let atoms = match found? {
            Explained::Execution(outcome) => return Ok(Some(outcome)),
            Explained::Atoms(atoms) => atoms,
        };
        self.counts.cycles += 1;
        let mut new = false;
        for (at, atom) in atoms {
            new |= system.add(at, atom);
        }
        match new {
            true => Ok(None),
            false => Err(Reason::Refinement(NoProgress::NothingNew)),
        }
    }

    /// An execution along the tree, or atoms for predicates that exclude it.
    fn explain(&self, tree: &Tree<'_, '_, '_>, observer: &mut dyn Observer) -> Result<Explained, Reason> {
        let smt = self.smt.as_ref().expect("made before");
        let terms = smt.terms();
        let problem = tree.problem();
        let mut session = smt.session();
        problem.formulas.iter().for_each(|formula| session.assert(*formula));
        if session.check().decided()? {
            let found = tree.execution(&session.require_model()?)?;
            return Ok(Explained::Execution(Outcome::Unsafe(found)));
        }
        let states = tree.places.iter().map(|place| place.values.now.to_vec()).collect();
        let hints = Hints { states, candidates: Vec::new() };
        let mut options = interpolate::Options::default();
        options.methods = self.interpolation.method().map_or(options.methods, |method| vec![method]);
        let found = interpolate::tree(smt, &problem, &hints, &options).map_err(|why| match why {
            NoInterpolant::Undecided(why) => why.into(),
            why => Reason::Refinement(NoProgress::NoInterpolant(why)),
        })?;
        let mut atoms = Vec::new();
        for (place, formula) in tree.places.iter().zip(found.formulas) {
            let formula = tree.general(place, formula);
            observer.detail(&|| {
                let line =
                    self.task.source.locs.get(place.at).map(|loc| self.task.source.source.line(loc.span));
                let line = line.map_or(String::new(), |line| format!("line {line}"));
                format!("cycle {}: {line}: {}", self.counts.cycles + 1, terms.smt(formula))
            });
            atoms.extend(terms.atoms(&[formula]).into_iter().map(|atom| (place.at, atom)));
        }
        Ok(Explained::Atoms(atoms))
    }

    /// What is known as a proof by procedures.
    fn safe(&self, system: &System<'_, '_>, reached: &Reached) -> Result<Outcome, Reason> {
        let (certificate, left_out) = system.divided.certificate(&system.smt, &Known { system, reached });
        let refused = || check(&self.task.source, &certificate, self.task.signed_wrap, self.budget).is_err();
        match left_out && refused() {
            true => Err(gave_up("a contract that a proof has no words for")),
            false => Ok(Outcome::Safe(certificate)),
        }
    }
}

enum Explained {
    Execution(Outcome),
    /// Atoms over the values of entry and now, and where.
    Atoms(Vec<(LocId, TermId)>),
}

/// What a search without error knows. To what is not reached no run comes.
struct Known<'s, 'd, 'a> {
    system: &'s System<'d, 'a>,
    reached: &'s Reached,
}

impl Formulas for Known<'_, '_, '_> {
    fn needs(&self, proc: ProcId) -> TermId {
        self.holds(self.system.divided.source.procs[proc].entry)
    }

    fn does(&self, proc: ProcId) -> TermId {
        self.holds(self.system.divided.source.procs[proc].exit)
    }

    fn holds(&self, at: LocId) -> TermId {
        let states = self.reached.at(at);
        states.map_or(self.system.terms().fls(), |states| self.system.formula(states))
    }
}
