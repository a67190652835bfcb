//! Pushdown systems whose rules are formulas over integers (`--domain smt`; PDS, chapter 5): recursion of any depth, procedures once each.
//!
//! A cycle searches the abstract system ([`reach`]). If it reaches the error, the ways there are a graph of calls ([`graph`]): it has an execution, or is a reason for new
//! predicates, which are the atoms of its interpolants ([`explain`]). If it does not, what is known at entries, exits and loops is a proof by procedures.
//!
//! | module | holds | the paper |
//! |---|---|---|
//! | [`rules`] | what happens between control points | chapter 2 |
//! | [`predicates`] | predicates per control point, images of rules | 4.1, 5.3 |
//! | [`reach`] | the search with its reasons | 2.3, 4.2 |
//! | [`graph`] | counterexamples | 4.3.1, 5.1 |
//! | [`explain`] | interpolants | 4.3, 5.2 |
//! | [`needs`] | what procedures need where they are entered | |
//!
//! # Deviations
//! - A rule goes from cut to cut, not over one statement: predicates are needed only there.
//! - Rules are not abstracted beforehand. Their images of the abstract states that are reached are asked for, which is the same and asks less.
//! - A callee has a copy in the graph for each way that goes over it: interpolants of trees are what there is for integers. Where that makes it too large, one way is explained, which is
//!   searched for without joining what meets.
//!
//! # Not here
//! - Contracts about memory without a name: what is allocated, and variables of procedures with many activations that pointers lead to ([`craig_verdict::separate`]).

mod explain;
mod graph;
mod needs;
mod predicates;
mod reach;
mod rules;

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
use craig_smt::{Smt, Undecided};
use craig_verdict::separate::Separated;
use craig_verdict::{NoProgress, Outcome, Reason, check};
use explain::{Explained, Explainer};
use graph::Graph;
use predicates::System;
use reach::{NodeId, Reached, search};
use std::rc::Rc;
use std::time::Duration;

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
    graph: usize,
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
        let mut explainer = Explainer::new(self.interpolation);
        (self.counts.points, self.counts.rules) = (divided.segments.len(), system.rules.len());
        loop {
            if let Some(outcome) = self.cycle(&mut system, &mut explainer, observer)? {
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
        stats.set("dag_nodes", counts.graph as f64);
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
        explainer: &mut Explainer,
        observer: &mut dyn Observer,
    ) -> Result<Option<Outcome>, Reason> {
        self.counts.predicates = system.sizes();
        let phase = format!("cycle {}, {} predicates", self.counts.cycles, self.counts.predicates.0);
        observer.progress(&Progress { phase, solver_calls: system.smt.stats().checks });
        let reached = timed(&mut self.counts.search, || search(system, true, self.budget));
        (self.counts.computed, self.counts.remembered) = (system.computed, system.remembered);
        let mut reached = reached?;
        self.counts.witness = self.counts.witness.max(reached.nodes.len());
        let Some(error) = reached.error else {
            return self.safe(system, &reached).map(Some);
        };
        let mut refinement = Duration::ZERO;
        let explained = timed(&mut refinement, || self.explain(system, &reached, error, true, explainer))?;
        let found = match explained {
            Some(found) => found,
            None => {
                // One way at a time, which takes nodes with one reason each.
                reached = timed(&mut self.counts.search, || search(system, false, self.budget))?;
                let error = reached.error.ok_or_else(|| Reason::Internal("an error that is lost".into()))?;
                let one = timed(&mut refinement, || self.explain(system, &reached, error, false, explainer));
                one?.ok_or_else(|| gave_up("a way to the error that is too large"))?
            }
        };
        self.counts.refinement += refinement;
        let mut formulas = match found {
            Explained::Execution(found) => return Ok(Some(Outcome::Unsafe(found))),
            Explained::Formulas(formulas) => formulas,
            Explained::Nothing(why) => return Err(Reason::Refinement(NoProgress::NoInterpolant(why))),
        };
        self.counts.cycles += 1;
        let terms = system.terms();
        let counting = explainer.counts_on(system.divided, terms, &formulas);
        match needs::refine(system, &reached, &counting, explainer) {
            Ok(found) => formulas.extend(found),
            Err(_) => {
                // Guesses that nobody can decide are none. The time may be over, too.
                self.budget.check()?;
                system.needs.clear();
            }
        }
        let mut new = false;
        for (at, formula) in formulas {
            observer.detail(&|| {
                let line = self.task.source.locs.get(at).map(|loc| self.task.source.source.line(loc.span));
                let line = line.map_or(String::new(), |line| format!("line {line}"));
                format!("cycle {}: {line}: {}", self.counts.cycles, terms.smt(formula))
            });
            for atom in terms.atoms(&[formula]) {
                new |= system.add(at, atom);
            }
        }
        match new {
            true => Ok(None),
            false => Err(Reason::Refinement(NoProgress::NothingNew)),
        }
    }

    /// Explains all ways to the error at once, or the first; nothing if there are too many.
    fn explain(
        &mut self,
        system: &System<'_, '_>,
        reached: &Reached,
        error: NodeId,
        all: bool,
        explainer: &mut Explainer,
    ) -> Result<Option<Explained>, Reason> {
        let Some(graph) = Graph::new(system, reached, error, all) else { return Ok(None) };
        self.counts.graph = self.counts.graph.max(graph.spots.len());
        let found = explainer.explain(&system.smt, &graph)?;
        Ok((!all || !matches!(found, Explained::Nothing(_))).then_some(found))
    }

    /// What is known as a proof by procedures.
    fn safe(&self, system: &System<'_, '_>, reached: &Reached) -> Result<Outcome, Reason> {
        let accepts = |found: &_| check(&self.task.source, found, self.task.signed_wrap, self.budget).is_ok();
        let certificate = system.divided.certificate(&system.smt, &Known { system, reached }, &accepts);
        let certificate = certificate.map(Outcome::Safe);
        certificate.ok_or_else(|| gave_up("a contract that a proof has no words for"))
    }
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
