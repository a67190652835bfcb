//! Reachability, safety and error interpolants with guided search (RSE).
//!
//! Lazy predicate abstraction ([`crate::lazy`]) whose locations have three attributes, all learnt from paths to the error that are no executions: R, the predicates that tell abstract
//! states apart; S, states from which the error is out of reach; E, ways to the error and what states can take them. Blocks have a weight W that says which way to go first ([`crate::weights`]). The loop is the document's
//! flow chart (III.C): a successor that is infeasible, safe by S or covered is not followed; one that E says something of leads the search straight to the error.
//!
//! Read literally the document is unsound, and these are our readings:
//! - S is full edge by edge, cycles as a whole, and has several regions ([`safety`], [`cycle`]);
//! - S is asked of labels, not of path formulas: what a node covers is bounded by its label, so it is not enough that the one path to it is safe. Where only the path formula
//!   implies S, the labels along the path are strengthened until they do, as forced covering does, and the question is asked again (`force`);
//! - a hit of E is confirmed by the whole path ([`error`]).
//!
//! Attributes are kept by location of the prepared program. Calls are inlined there, with their origins, so that a location is one of the source with its call stack: what the document's states are.
//! R could be shared between the copies of a source location; it is not.
//!
//! Invariant: once nothing is left to do, the labels of the nodes at a location together with its full regions contain all states that runs reach there. That is the certificate; the checker
//! proves every region in it again.
//!
//! | module | holds |
//! |---|---|
//! | `safety` | S, edge by edge |
//! | `cycle` | S of whole cycles |
//! | `values` | S of values of discrete variables |
//! | `relations` | candidates for S that runs show |
//! | `error` | E |
//! | `dag` | all paths explained at once |
//! | `beyond` | what is not in the document, each with a switch |
//! | `steps` | questions about one block |

mod beyond;
mod cycle;
mod dag;
mod error;
mod relations;
mod safety;
mod steps;
mod values;

use crate::arg::{NodeId, SearchOrder};
use crate::explain::{Explained, Provenance};
use crate::lazy::{Successor, Tree};
use crate::options::{Abstraction, ForcedCovering, RefinementOptions};
use crate::path::Path;
use crate::precision::Scope;
use crate::refine::{Conflict, Examined, Parts};
use crate::run::{Control, Found, Observer, Search, Stats};
use crate::task::Task;
pub use crate::weights::Weighing;
use crate::weights::Weights;
pub use beyond::{Beyond, Extra};
use clap::{Args, ValueEnum};
use craig_cfa::{BlockId, LocId};
use craig_encode::Arith;
use craig_logic::TermId;
use craig_verdict::{Counterexample, Outcome, Reason};
use dag::Dag;
use error::Errors;
use rustc_hash::{FxHashMap, FxHashSet};
use safety::{Safety, Saved};
use steps::Beside;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct Options {
    #[command(flatten)]
    pub refinement: RefinementOptions,

    /// What is learnt from infeasible paths: reachability (R), safety (S) and error (E) interpolants
    #[arg(long, value_enum, value_name = "WHICH", default_value_t, ignore_case = true)]
    pub interp: Attributes,

    /// How weights of blocks that guide the search come from those behind them
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub weights: Weighing,

    /// What error interpolants are
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    pub error_interp: ErrorInterpolants,

    /// Whether what cannot reach the error is cut away before
    #[arg(long, value_enum, value_name = "WHETHER", default_value_t)]
    pub prune: Prune,

    /// Whether it is tried to make leaves covered before they are expanded
    #[arg(long, value_enum, value_name = "WHETHER", default_value_t)]
    pub forced_covering: ForcedCovering,

    /// What goes beyond the document: `on`, `off`, or a list of `annotate`, `weakest`, `prefixes`, `dag`, `relations`
    #[arg(long, value_name = "LIST", default_value_t, allow_hyphen_values = true)]
    pub beyond: Beyond,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Attributes {
    #[value(name = "R")]
    R,
    #[value(name = "RE")]
    Re,
    #[value(name = "RS")]
    Rs,
    #[default]
    #[value(name = "RSE")]
    Rse,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ErrorInterpolants {
    /// Interpolants: contain all states that can take a suffix
    #[default]
    Over,
    /// The precondition of the suffix itself
    Exact,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Prune {
    #[default]
    On,
    Off,
}

/// Of a path so many of the last blocks are looked at, with the label before them, when labels are strengthened so that they imply S.
const FORCED_BLOCKS: usize = 5;
/// So many regions, the newest, are tried at a node; and so often in vain at a location, and so often again for each time that it helped. Not tuned.
const FORCED_REGIONS: usize = 2;
const IN_VAIN: (u32, u32) = (2, 1);

/// The program is run once so many paths were no executions. Not tuned.
const RUN_AFTER: u64 = 3;

/// Larger formulas are not made clauses of: that takes long, and they become many. Of one path, and of the labels of a location together.
const MOST_ATOMS: (usize, usize) = (20, 40);

pub fn run(task: &Task, arith: Arith, options: &Options, control: &mut Control<'_>) -> Found {
    let parts = Parts::new(task, arith, &options.refinement, control.budget)?;
    let tree = Tree::new(parts, Abstraction::Boolean, Scope::Location, SearchOrder::Dfs)?;
    let (with_s, with_e) = match options.interp {
        Attributes::R => (false, false),
        Attributes::Re => (false, true),
        Attributes::Rs => (true, false),
        Attributes::Rse => (true, true),
    };
    let beside = Beside::default();
    let safety = with_s.then(|| Safety::new(&tree.bench, &beside, options.beyond.has(Extra::Weakest)));
    let how = if with_s { options.weights } else { Weighing::Off };
    let is_full = |loc| safety.as_ref().is_some_and(|s: &Safety| s.is_full(loc));
    control.run(Engine {
        weights: Weights::new(how, &tree.bench, is_full),
        safety,
        errors: with_e.then(|| Errors::new(options.error_interp, &beside)),
        beside,
        force: options.forced_covering == ForcedCovering::On,
        annotate: options.beyond.has(Extra::Annotate),
        prefixes: options.beyond.has(Extra::Prefixes),
        dag: options.beyond.has(Extra::Dag),
        relations: options.beyond.has(Extra::Relations),
        in_vain: FxHashMap::default(),
        asked: FxHashSet::default(),
        turned_back: FxHashMap::default(),
        counted: Counted::default(),
        tree,
    })
}

/// What the document's tables count.
#[derive(Debug, Default)]
struct Counted {
    /// Successors that were computed.
    explored: u64,
    saved_by_s: u64,
    saved_by_cover: u64,
    /// Paths whose labels were strengthened until they implied S.
    forced: u64,
}

/// What became of all paths to the error together.
enum Whole {
    Feasible(Counterexample),
    Explained,
}

struct Engine<'t> {
    tree: Tree<'t>,
    safety: Option<Safety>,
    errors: Option<Errors>,
    /// The solver of both.
    beside: Beside,
    weights: Weights,
    force: bool,
    annotate: bool,
    prefixes: bool,
    dag: bool,
    /// The program is still to be run.
    relations: bool,
    /// How often labels were not strengthened, less how often they were.
    in_vain: FxHashMap<LocId, u32>,
    /// Discrete variables whose values were asked about at a loop head.
    asked: FxHashSet<(LocId, u32)>,
    /// Successors of a node that the search turned back from, since they are infeasible or safe.
    turned_back: FxHashMap<NodeId, usize>,
    counted: Counted,
}

impl Search for Engine<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        while let Some((parent, block)) = self.weights.next(&mut self.tree.open, |(_, block)| Some(*block)) {
            self.tree.bench.budget.check_memory()?;
            if !self.tree.is_due(parent)? || self.is_safe(parent, block, observer)? {
                continue;
            }
            self.counted.explored += 1;
            match self.tree.successor(parent, block)? {
                Successor::Infeasible => self.turn_back(parent)?,
                Successor::Covered => {
                    self.tell(observer, self.tree.bench.graph.block(block).to, "covered");
                    self.counted.saved_by_cover += 1;
                }
                Successor::Node(node) if self.tree.art.node(node).loc == self.tree.program().error => {
                    self.tree.progress(observer);
                    if let Some(found) = self.refine(node, observer)? {
                        return Ok(Outcome::Unsafe(found));
                    }
                }
                Successor::Node(node) => {
                    if !self.force(node, observer)?
                        && let Some(found) = self.hit(node)?
                    {
                        self.tell(observer, self.tree.art.node(node).loc, "leads to the error by E");
                        return Ok(Outcome::Unsafe(found));
                    }
                }
            }
        }
        self.certificate()
    }

    fn report(&self, stats: &mut Stats) {
        let Counted { explored, saved_by_s, saved_by_cover, forced } = self.counted;
        stats.set("explored", explored as f64);
        stats.set("saved_by_s", saved_by_s as f64);
        stats.set("saved_by_e", self.errors.as_ref().map_or(0, |e| e.saved) as f64);
        stats.set("saved_by_cover", saved_by_cover as f64);
        stats.set("s_forced", forced as f64);
        stats.set("e_confirmed", self.errors.as_ref().map_or(0, |e| e.confirmed) as f64);
        stats.set("e_refuted", self.errors.as_ref().map_or(0, |e| e.refuted) as f64);
        let bench = &self.tree.bench;
        let (full, half, regions) = self.safety.as_ref().map_or((0, 0, 0), |s| s.counts(&bench.terms));
        let heads = bench.graph.loop_heads().filter(|head| self.is_full(*head)).count();
        let asked = self.beside.stats();
        stats.set("interp_calls", asked.checks as f64);
        stats.time("interp_s", asked.time);
        stats.set("s_full", full as f64);
        stats.set("s_half", half as f64);
        stats.set("s_regions", regions as f64);
        stats.set("s_full_heads", heads as f64);
        self.tree.report(stats);
    }
}

impl Engine<'_> {
    fn is_full(&self, loc: LocId) -> bool {
        self.safety.as_ref().is_some_and(|s| s.is_full(loc))
    }

    /// Tells those who ask for details what became of a place.
    fn tell(&self, observer: &mut dyn Observer, loc: LocId, what: &str) {
        let program = self.tree.program();
        observer.detail(&|| {
            let line = program.source.line(program.locs[loc].span);
            format!("L{} (line {line}): {what}", loc.index())
        });
    }

    /// Labels and the regions of S that were used.
    fn certificate(&self) -> Found {
        let terms = &self.tree.bench.terms;
        let claims = self.safety.as_ref().map(|s| (s, s.claims(&self.tree.bench.graph)));
        let region = |loc: LocId| match &claims {
            Some((safety, claims)) if claims.contains(&loc) => safety.region(terms, loc),
            _ => terms.fls(),
        };
        self.tree.certificate(region).map(Outcome::Safe)
    }

    /// Whether S says that a successor need not be followed: all that lies behind its parent, which may have become safe since it was made, or behind the block.
    fn is_safe(
        &mut self,
        parent: NodeId,
        block: BlockId,
        observer: &mut dyn Observer,
    ) -> Result<bool, Reason> {
        let Some(safety) = &mut self.safety else { return Ok(false) };
        let (loc, label) = (self.tree.art.node(parent).loc, self.tree.label(parent));
        let (at, saved) = match safety.contains(&self.tree.bench, label, loc)? {
            true => (loc, Some(Saved::BySafety)),
            false => {
                let to = self.tree.bench.graph.block(block).to;
                (to, safety.saves(&mut self.tree.bench, label, block)?)
            }
        };
        match saved {
            // What cannot be passed is no merit of S: it counts as it does without.
            Some(Saved::Infeasible) => self.counted.explored += 1,
            Some(Saved::BySafety) => {
                self.tell(observer, at, "safe by S");
                self.counted.saved_by_s += 1;
            }
            None => return Ok(false),
        }
        self.turn_back(parent)?;
        Ok(true)
    }

    /// The search turns back from a successor of a node. When that is so for all of them, the node's location is full there (lazy annotation), and the search turns back
    /// from the node as well.
    fn turn_back(&mut self, node: NodeId) -> Result<(), Reason> {
        let (true, Some(safety)) = (self.annotate, &mut self.safety) else { return Ok(()) };
        let mut at = Some(node);
        while let Some(node) = at {
            let loc = self.tree.art.node(node).loc;
            let turned_back = self.turned_back.entry(node).or_default();
            *turned_back += 1;
            if *turned_back < self.tree.bench.graph.leaving(loc).len()
                || !safety.steps.may_ask(&self.tree.bench)
            {
                break;
            }
            let label = self.tree.label(node);
            let known = self.tree.bench.terms.conjuncts(label).to_vec();
            let made = safety.make_full(&mut self.tree.bench, loc, &known)?;
            if made.is_none() {
                break;
            }
            at = self.tree.art.node(node).parent.map(|(parent, _)| parent);
        }
        Ok(())
    }

    /// Strengthens the labels along the path to a node if that makes them imply a region of S that the path implies; the search then comes to the node again.
    fn force(&mut self, node: NodeId, observer: &mut dyn Observer) -> Result<bool, Reason> {
        let loc = self.tree.art.node(node).loc;
        let Some(safety) = self.safety.as_ref().filter(|s| self.force && s.is_full(loc)) else {
            return Ok(false);
        };
        if self.in_vain.get(&loc).is_some_and(|n| *n >= IN_VAIN.0) {
            return Ok(false);
        }
        let regions: Vec<TermId> = safety.worth_forcing(loc).take(FORCED_REGIONS).collect();
        let nodes = self.tree.art.path(node);
        let from = nodes.len().saturating_sub(FORCED_BLOCKS + 1);
        // From the parent alone it was asked before.
        if nodes.len() - from < 3 {
            return Ok(false);
        }
        let mut forced = false;
        if regions.is_empty() {
            return Ok(false);
        }
        for region in regions {
            forced = forced || self.tree.force(&nodes[from..], region, observer)?;
        }
        let in_vain = self.in_vain.entry(loc).or_default();
        if forced {
            self.counted.forced += 1;
            *in_vain = in_vain.saturating_sub(IN_VAIN.1);
        } else {
            *in_vain += 1;
        }
        Ok(forced)
    }

    /// Whether a suffix that E knows leads from a node to the error.
    fn hit(&mut self, node: NodeId) -> Result<Option<Counterexample>, Reason> {
        let Some(errors) = &mut self.errors else { return Ok(None) };
        let label = self.tree.label(node);
        let path = self.tree.art.blocks(&self.tree.art.path(node));
        errors.hit(&mut self.tree.bench, &mut self.tree.refiner, label, &path)
    }

    /// Checks the path to an error node: an execution; or all attributes are updated with why it is none.
    fn refine(
        &mut self,
        error: NodeId,
        observer: &mut dyn Observer,
    ) -> Result<Option<Counterexample>, Reason> {
        loop {
            let (nodes, path, mut conflict) = match self.tree.examine(error)? {
                (_, Examined::Execution(found)) => return Ok(Some(found)),
                (nodes, Examined::Infeasible(path, conflict)) => (nodes, path, conflict),
            };
            if self.prefixes
                && let Some(shorter) = self.tree.refiner.prefix(&path, &conflict)?
            {
                conflict = shorter;
            }
            self.note_labels(&nodes)?;
            if self.dag {
                match self.explain_all(&nodes, &path, &conflict, observer)? {
                    Some(Whole::Feasible(found)) => return Ok(Some(found)),
                    Some(Whole::Explained) => return Ok(None),
                    None => {}
                }
            }
            if let Some(found) = self.tree.refine(&nodes, &path, &conflict, observer)? {
                self.learn(&nodes, &path, &conflict, &found, observer)?;
                return Ok(None);
            }
        }
    }

    /// Explains all paths to the error that are no longer than the one at hand at once: one of them is an execution, or all attributes are updated; `None` if that says nothing new of the one at hand.
    fn explain_all(
        &mut self,
        nodes: &[NodeId],
        path: &Path,
        conflict: &Conflict,
        observer: &mut dyn Observer,
    ) -> Result<Option<Whole>, Reason> {
        let Some(dag) = Dag::new(&self.tree.bench, path.blocks.len()) else { return Ok(None) };
        let levels = match dag.explain(&mut self.tree.bench)? {
            None => return Ok(None),
            Some(dag::Explained::Feasible(blocks)) => {
                let found = self.tree.refiner.execution(&mut self.tree.bench, blocks)?;
                return Ok(found.map(Whole::Feasible));
            }
            Some(dag::Explained::Nodes(levels)) => levels,
        };
        let (mut found, mut elsewhere) = (Vec::new(), Vec::new());
        for (cut, level) in levels.into_iter().enumerate() {
            for (loc, formula) in level {
                match loc == path.locs[cut + 1] {
                    true => found.push(Explained { cut, formula, by: dag::PROVENANCE }),
                    false => elsewhere.push((loc, formula)),
                }
            }
        }
        if !self.tree.take(nodes, &found, &elsewhere)? {
            return Ok(None);
        }
        if let Some(safety) = &mut self.safety {
            elsewhere
                .iter()
                .for_each(|(loc, formula)| safety.note(&self.tree.bench.terms, *loc, &[*formula]));
        }
        self.learn(nodes, path, conflict, &found, observer)?;
        Ok(Some(Whole::Explained))
    }

    /// Updates S, E and W with an infeasible path.
    fn learn(
        &mut self,
        nodes: &[NodeId],
        path: &Path,
        conflict: &Conflict,
        found: &[Explained],
        observer: &mut dyn Observer,
    ) -> Result<(), Reason> {
        if self.safety.is_some() {
            // The last reachable state: it does not pass the last part of the conflict.
            let known = self.known(&nodes[..=*conflict.parts.end()], found);
            self.learn_safety(path, conflict, found, &known, observer)?;
        }
        if let Some(errors) = &mut self.errors {
            errors.learn(&self.tree.bench, path, conflict, found, observer)?;
        }
        Ok(())
    }

    /// Updates S and W; of each place of the path up to the last reachable state it is given what is known there.
    fn learn_safety(
        &mut self,
        path: &Path,
        conflict: &Conflict,
        found: &[Explained],
        known: &[Vec<TermId>],
        observer: &mut dyn Observer,
    ) -> Result<(), Reason> {
        let last = known.len() - 1;
        let Some(safety) = &mut self.safety else { return Ok(()) };
        let (bench, mut news) = (&mut self.tree.bench, Vec::new());
        if safety.steps.may_ask(bench) {
            if self.relations && self.tree.refiner.stats.refinements >= RUN_AFTER {
                self.relations = false;
                safety.sample(bench, &self.tree.refiner.discrete)?;
            }
            for Explained { cut, formula, by } in found {
                if *by == Provenance::Guess {
                    let both = [*formula, bench.terms.not(*formula)];
                    safety.note(&bench.terms, path.locs[cut + 1], &both);
                }
            }
            let here: Vec<(LocId, Vec<TermId>)> =
                path.locs.iter().copied().zip(known.iter().cloned()).collect();
            news = safety.learn(bench, &here)?;
            let heads: FxHashSet<LocId> = bench.graph.loop_heads().collect();
            for Explained { cut, formula, .. } in found {
                let loc = path.locs[cut + 1];
                for slot in bench.slots.of(&bench.terms, &[*formula]) {
                    let values: Vec<TermId> = self.tree.refiner.discrete.atoms(slot).collect();
                    if values.len() > 1 && heads.contains(&loc) && self.asked.insert((loc, slot)) {
                        news.extend(safety.close_values(bench, loc, &values)?);
                    }
                }
            }
            let arrivals = (1..=last).filter(|p| heads.contains(&path.locs[*p]));
            let mut seen = FxHashSet::default();
            let firsts: Vec<usize> = arrivals.clone().filter(|p| seen.insert(path.locs[*p])).collect();
            // Where the path comes to a head last, another region may do that where it comes there first does not.
            let again = arrivals.clone().next_back().filter(|p| !firsts.contains(p));
            for position in firsts.into_iter().chain(again) {
                if Some(position) == again && !safety.steps.has_plenty(bench) {
                    break;
                }
                let closed = safety.close(bench, &known[position - 1], path.blocks[position - 1].0)?;
                news.extend(&closed);
                if closed.contains(&path.locs[position]) {
                    break;
                }
            }
        }
        for loc in &news {
            let region = safety.region(&bench.terms, *loc);
            observer.detail(&|| format!("  L{}: S is full: {}", loc.index(), bench.terms.c(region)));
        }
        self.weights.update(&bench.graph, path, conflict, &news, |loc| safety.is_full(loc));
        Ok(())
    }

    /// Takes down what the labels of all nodes at a loop head have in common, before the tree is cut.
    fn note_labels(&mut self, nodes: &[NodeId]) -> Result<(), Reason> {
        if self.safety.is_none() {
            return Ok(());
        }
        let heads: FxHashSet<LocId> = self.tree.bench.graph.loop_heads().collect();
        let mut locs: Vec<LocId> =
            nodes.iter().map(|n| self.tree.art.node(*n).loc).filter(|l| heads.contains(l)).collect();
        locs.sort_unstable();
        locs.dedup();
        for loc in locs {
            let labels = self.tree.labels(loc)?;
            if self.tree.bench.terms.atoms(&[labels]).len() > MOST_ATOMS.1 {
                continue;
            }
            let clauses = self.tree.refiner.clauses(labels);
            if let Some(safety) = &mut self.safety {
                safety.note(&self.tree.bench.terms, loc, &clauses);
            }
        }
        Ok(())
    }

    /// A formula as clauses if it is small, otherwise as conjuncts.
    fn clauses(&mut self, formula: TermId) -> Vec<TermId> {
        let terms = &self.tree.bench.terms;
        match terms.atoms(&[formula]).len() <= MOST_ATOMS.0 {
            true => self.tree.refiner.clauses(formula),
            false => terms.conjuncts(formula).to_vec(),
        }
    }

    /// What is known along a path, by node: the label and the interpolant, as clauses.
    fn known(&mut self, nodes: &[NodeId], found: &[Explained]) -> Vec<Vec<TermId>> {
        // All else is what is worth asking for, not what holds.
        let holds = |e: &&Explained| matches!(e.by, Provenance::Interpolant(..) | Provenance::Tuples);
        let interpolants: Vec<&Explained> = found.iter().filter(holds).collect();
        let mut known = Vec::new();
        for (position, node) in nodes.iter().enumerate() {
            let label = self.tree.label(*node);
            let here = interpolants.iter().filter(|e| e.cut + 1 == position).map(|e| e.formula);
            let all: Vec<TermId> = here.chain([label]).collect();
            known.push(all.into_iter().flat_map(|f| self.clauses(f)).collect());
        }
        known
    }
}
