//! Abstraction refinement for symbolic pushdown systems, with binary decision diagrams all through (PDS: Kiefer, *Abstraction Refinement for
//! Pushdown Systems*; docs/papers.md); or, with `--domain smt`, on terms ([`terms`]).
//!
//! | module | holds | the paper |
//! |---|---|---|
//! | [`storage`] | which variables become bits | 8.4 |
//! | [`space`] | the variables of the diagrams and their order | 7.3 |
//! | [`numbers`] | functions of bits that are made when they are needed | 6.6 |
//! | [`symbolic`] | operations as functions of bits | |
//! | [`system`] | control points and rules | chapter 2 |
//! | [`concrete`] | rules on sets of states, forwards and backwards | 5.2 |
//! | [`saturation`] | `post*` with its witness graph | 2.3, 4.2 |
//! | [`backward`] | `pre*` | 2.3, 6.2.2 |
//! | [`abstraction`] | predicates and the abstract system | 4.1, 5.3, 7.1, 7.2 |
//! | [`dag`] | counterexamples | 4.3.1, 5.2 |
//! | [`interpolants`] | strongest, weakest, and in between | 3, 4.3, 6 |
//! | [`trace`] | an execution out of a graph of counterexamples | 4.3.2 |
//! | [`forget`] | what a proof need not say | |
//! | [`proof`] | relations between entry and now as a certificate | |
//! | [`words`] | diagrams as formulas over values | |
//! | [`show`] | graphs of counterexamples for people | |
//! | [`terms`] | the other domain: rules as terms over integers, all of the above for them | 5 |
//!
//! # Deviations
//! - A rule goes over a whole statement; the result of a procedure is a value at its exit, and is stored by the eval rule.
//! - The graph of counterexamples holds all ways that the search recorded, through every stack that leads to the error, not those of one error configuration.
//! - `G = G_<, P = P_<` is part of what the abstract bits at a procedure's entry mean, instead of a predicate there.
//! - Arithmetic that leaves its type is what the front end made of it (`--overflow`); here every function is total.
//!
//! # Not here
//! - Sets of integers as automata (NDDs, 8.5): the abstract system would stay the same, but all that is measured here, quantification over bits
//!   that lie side by side and sharing between the copies, would have to be built again for a representation whose elimination is more
//!   costly; integers without bound are the business of the domain of terms.

mod abstraction;
mod backward;
mod concrete;
mod dag;
mod forget;
mod interpolants;
mod numbers;
mod options;
mod proof;
mod saturation;
mod show;
mod space;
mod storage;
mod symbolic;
mod system;
mod terms;
#[cfg(test)]
mod tests;
mod trace;
mod words;

use crate::options::Abstraction as Kind;
use crate::run::{Control, Found, Observer, Progress, Search, Stats};
use crate::task::Task;
use abstraction::{Abstract, Abstraction};
use backward::Backward;
use concrete::Concrete;
use craig_base::{Budget, Span, Stop, Timer};
use craig_encode::Arith;
use craig_smt::bdd::{Bdd, Bdds, BooleanFunction, OutOfMemory, OutOfNodes};
use craig_verdict::{NoProgress, Outcome, Reason};
use dag::{Dag, DagId, EdgeKind};
use interpolants::{Formulas, Scheme};
pub use options::{Direction, Domain, Interpolants, Options, Saving, Stopping};
use proof::Claim;
use rustc_hash::FxHashMap;
use saturation::{Witness, post};
use show::Shown;
use space::Space;
use std::collections::hash_map::Entry;
use std::time::Duration;
use system::{PointId, PointKind, System};

/// Entries of the table of results of operations.
const CACHE: usize = 1 << 18;

/// Why the engine does not go on.
#[derive(Debug)]
pub enum Halt {
    /// There is no room for another node.
    Full,
    Reason(Box<Reason>),
}

pub type Res<T> = Result<T, Halt>;

impl From<OutOfMemory> for Halt {
    fn from(_: OutOfMemory) -> Halt {
        Halt::Full
    }
}

impl From<OutOfNodes> for Halt {
    fn from(_: OutOfNodes) -> Halt {
        Halt::Full
    }
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Reason(Box::new(stop.into()))
    }
}

impl From<Reason> for Halt {
    fn from(reason: Reason) -> Halt {
        Halt::Reason(Box::new(reason))
    }
}

/// What such a system does not have.
fn unsupported(what: &str, span: Span) -> Halt {
    Reason::Unsupported { what: what.into(), span }.into()
}

pub fn run(task: &Task, arith: Arith, options: &Options, control: &mut Control<'_>) -> Found {
    if options.domain(task.source.lang) == Domain::Smt {
        return terms::run(task, arith, options, control);
    }
    let budget = control.budget;
    control.run(Pushdown { task, options, budget, counts: Counts::default() })
}

/// What is counted.
#[derive(Debug, Default)]
struct Counts {
    cycles: u64,
    points: usize,
    rules: usize,
    bits: usize,
    predicates: usize,
    most: usize,
    nodes: usize,
    sifted: u64,
    abstracted: u64,
    witness: usize,
    dag: usize,
    ways: f64,
    search: Duration,
    abstraction: Duration,
    refinement: Duration,
}

struct Pushdown<'t> {
    task: &'t Task,
    options: &'t Options,
    budget: &'t Budget,
    counts: Counts,
}

impl Search for Pushdown<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        let bdds = Bdds::within_budget(self.options.bdd_nodes, CACHE, self.budget);
        self.decide(bdds.clone(), observer).map_err(|halt| match (halt, bdds.stopped()) {
            (Halt::Full, Some(stop)) => stop.into(),
            (Halt::Full, None) => Reason::BddNodes(bdds.full()),
            (Halt::Reason(reason), _) => *reason,
        })
    }

    fn report(&self, stats: &mut Stats) {
        let counts = &self.counts;
        stats.set("cycles", counts.cycles as f64);
        // Of one graph of counterexamples in each.
        stats.set("interpolations", counts.cycles as f64);
        stats.set("points", counts.points as f64);
        stats.set("rules", counts.rules as f64);
        stats.set("bits", counts.bits as f64);
        stats.set("predicates_total", counts.predicates as f64);
        stats.set("predicates_max", counts.most as f64);
        stats.set("bdd_nodes", counts.nodes as f64);
        stats.set("bdd_reorderings", counts.sifted as f64);
        stats.set("abstracted_rules", counts.abstracted as f64);
        stats.set("witness_nodes", counts.witness as f64);
        stats.set("dag_nodes", counts.dag as f64);
        stats.set("dag_ways", counts.ways);
        stats.set("search_s", counts.search.as_secs_f64());
        stats.set("abstraction_s", counts.abstraction.as_secs_f64());
        stats.set("refinement_s", counts.refinement.as_secs_f64());
    }
}

/// Runs `work` and adds the time it takes.
fn timed<T>(time: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Timer::start();
    let done = work();
    *time += start.elapsed();
    done
}

impl Pushdown<'_> {
    fn decide(&mut self, bdds: Bdds, observer: &mut dyn Observer) -> Res<Outcome> {
        let (system, space) = System::new(&self.task.source, self.options, bdds, self.budget)?;
        (self.counts.points, self.counts.rules) = (system.points.len(), system.rules.len());
        self.counts.bits = system.storage.widths.iter().sum();
        let concrete = Concrete::new(&system, &space)?;
        match (self.options.abstraction, self.options.search) {
            (Kind::Off, Direction::Post) => return self.forward(&concrete),
            (Kind::Off, Direction::Pre) => return self.backward(&concrete),
            (_, Direction::Pre) => {
                return Err(Reason::Internal("a search backwards in an abstraction".into()).into());
            }
            _ => {}
        }
        let mut abstraction = Abstraction::new(&system, &space, self.options);
        loop {
            if let Some(outcome) = self.cycle(&concrete, &mut abstraction, observer)? {
                return Ok(outcome);
            }
        }
    }

    /// Searches the system itself.
    fn forward(&mut self, concrete: &Concrete<'_>) -> Res<Outcome> {
        let (stop, budget) = (self.options.stop, self.budget);
        let witness = timed(&mut self.counts.search, || post(concrete.system, concrete, stop, budget))?;
        self.counts.witness = witness.nodes.len();
        self.note_nodes(concrete.space);
        if witness.errors.is_empty() {
            let mut claims = witness.known;
            if self.options.has(Saving::Forgetting)
                && let Some(fewer) = forget::variables(concrete, &claims, budget)?
            {
                claims = fewer;
            }
            return self.safe(concrete, |point| Ok(Claim::Values(claims[point].clone())));
        }
        let dag = Dag::new(concrete.system, &witness, concrete, true)?;
        let scheme = Scheme { concrete, dag: &dag, budget };
        let strongest = scheme.strongest()?;
        trace::execution(&scheme, &strongest).map(Outcome::Unsafe)
    }

    /// Searches the system itself, from the error back.
    fn backward(&mut self, concrete: &Concrete<'_>) -> Res<Outcome> {
        let backward = Backward::new(concrete)?;
        let (stop, budget) = (self.options.stop, self.budget);
        let witness = timed(&mut self.counts.search, || backward.pre(stop, budget))?;
        self.counts.witness = witness.nodes.len();
        self.note_nodes(concrete.space);
        if witness.errors.is_empty() {
            return self.safe(concrete, |point| backward.claim(&witness, point).map(Claim::Values));
        }
        backward.execution(&witness, budget).map(Outcome::Unsafe)
    }

    fn note_nodes(&mut self, space: &Space) {
        self.counts.nodes = self.counts.nodes.max(space.bdds.nodes());
        self.counts.sifted = space.sifted.get();
    }

    /// Searches the abstract system, and refines it if what it finds is no execution.
    fn cycle(
        &mut self,
        concrete: &Concrete<'_>,
        abstraction: &mut Abstraction,
        observer: &mut dyn Observer,
    ) -> Res<Option<Outcome>> {
        let (system, space) = (concrete.system, concrete.space);
        let phase = format!(
            "cycle {}, {} predicates, {} nodes",
            self.counts.cycles,
            abstraction.total(),
            space.bdds.nodes()
        );
        observer.progress(&Progress { phase, solver_calls: 0 });
        timed(&mut self.counts.abstraction, || abstraction.refresh(concrete, self.budget))?;
        self.note_nodes(space);
        let moves = Abstract::new(concrete, abstraction);
        let witness =
            timed(&mut self.counts.search, || post(system, &moves, self.options.stop, self.budget))?;
        self.note_nodes(space);
        (self.counts.predicates, self.counts.most) = (abstraction.total(), abstraction.most());
        self.counts.abstracted = abstraction.abstracted;
        self.counts.witness = self.counts.witness.max(witness.nodes.len());
        if witness.errors.is_empty() {
            let abstraction = &*abstraction;
            let claim = |point| Ok(Claim::Abstract(abstraction, &witness.known[point]));
            return self.safe(concrete, claim).map(Some);
        }
        let start = Timer::start();
        let dag = Dag::new(system, &witness, &moves, self.options.prunes())?;
        self.counts.dag = self.counts.dag.max(dag.nodes.len());
        self.counts.ways = self.counts.ways.max(dag.ways());
        let scheme = Scheme { concrete, dag: &dag, budget: self.budget };
        let strongest = scheme.strongest()?;
        self.note_nodes(space);
        let picture = format!("cycle-{}", self.counts.cycles + 1);
        if dag.errors.iter().any(|error| strongest[*error].satisfiable()) {
            self.counts.refinement += start.elapsed();
            let shown = Shown { scheme: &scheme, strongest: &strongest, chosen: &[] };
            observer.picture(&picture, &|| shown.dot());
            return trace::execution(&scheme, &strongest).map(|found| Some(Outcome::Unsafe(found)));
        }
        let chosen = scheme.choose(self.options.interpolants, &strongest)?;
        self.note_nodes(space);
        self.counts.cycles += 1;
        let shown = Shown { scheme: &scheme, strongest: &strongest, chosen: &chosen };
        observer.detail(&|| shown.text(self.counts.cycles));
        observer.picture(&picture, &|| shown.dot());
        let mut new = false;
        for formulas in &chosen {
            if cfg!(debug_assertions) {
                scheme.verify(&strongest, formulas)?;
            }
            let needed = self.needed(&scheme, abstraction, &witness, formulas)?;
            for (node, formula) in formulas.iter_enumerated() {
                if needed[node.index()] {
                    let point = dag.nodes[node].point;
                    let formula = predicate(concrete, point, formula)?;
                    new |= abstraction.add(system, space, point, &formula)?;
                }
            }
        }
        self.counts.refinement += start.elapsed();
        if cfg!(debug_assertions) && new {
            abstraction.refresh(concrete, self.budget)?;
            let excluded = Abstract::new(concrete, abstraction).excludes(&dag, &witness.known)?;
            assert!(excluded, "a way to the error is still there after cycle {}", self.counts.cycles);
        }
        if !new {
            return Err(Reason::Refinement(NoProgress::NothingNew).into());
        }
        Ok(None)
    }

    /// Nodes whose formula must become a predicate (PDS, 8.3): going up from the error, where all that is known at a node implies its formula, the node and those above it
    /// give nothing new. Calls and returns are no such places.
    fn needed(
        &self,
        scheme: &Scheme<'_>,
        abstraction: &Abstraction,
        witness: &Witness,
        formulas: &Formulas,
    ) -> Res<Vec<bool>> {
        let Scheme { concrete, dag, .. } = scheme;
        if !self.options.has(Saving::Lazy) {
            return Ok(vec![true; dag.nodes.len()]);
        }
        let system = concrete.system;
        let mut needed = vec![false; dag.nodes.len()];
        let mut visited = vec![false; dag.nodes.len()];
        // The same for all nodes of a point.
        let mut known: FxHashMap<PointId, Bdd> = FxHashMap::default();
        let mut waiting: Vec<DagId> = dag.errors.clone();
        while let Some(node) = waiting.pop() {
            if std::mem::replace(&mut visited[node.index()], true) {
                continue;
            }
            let at = &dag.nodes[node];
            let around_call = !matches!(system.points[at.point].kind, PointKind::At(_) | PointKind::Error)
                || at.outs.iter().chain(&at.ins).any(|edge| {
                    let edge = &dag.edges[*edge];
                    let pivot = |node: DagId| {
                        matches!(system.points[dag.nodes[node].point].kind, PointKind::Pivot { .. })
                    };
                    pivot(edge.from) || pivot(edge.to)
                });
            if !around_call {
                let known = match known.entry(at.point) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(open) => {
                        open.insert(abstraction.concretised(concrete, at.point, &witness.known[at.point])?)
                    }
                };
                if !known.and(&formulas[node].not()?)?.satisfiable() {
                    continue;
                }
            }
            needed[node.index()] = true;
            for edge in &at.ins {
                let edge = &dag.edges[*edge];
                waiting.push(edge.from);
                if let EdgeKind::Eval(_, exit) = edge.kind {
                    waiting.push(exit);
                }
            }
        }
        Ok(needed)
    }

    fn safe<'c>(&self, concrete: &Concrete<'_>, claim: impl Fn(PointId) -> Res<Claim<'c>>) -> Res<Outcome> {
        if concrete.system.narrowed {
            let bits = self.options.int_bits.unwrap_or_default();
            return Err(Reason::Narrowed { bits }.into());
        }
        proof::certificate(concrete, self.options, claim).map(Outcome::Safe)
    }
}

/// A formula of a node as a predicate of its point: at the entry of a procedure its entry values are those of now.
fn predicate(concrete: &Concrete<'_>, point: PointId, formula: &Bdd) -> Res<Bdd> {
    let unit = concrete.system.points[point].unit;
    if concrete.system.units[unit].entry == point {
        return concrete.at_entry(unit, formula);
    }
    Ok(formula.clone())
}
