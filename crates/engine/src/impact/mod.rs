//! Lazy abstraction with interpolants (McMillan's Impact), the rival of document 000 with and without large blocks.
//!
//! The program is unwound into a tree whose nodes are labelled with formulas, `true` at first. No image is ever computed: when a node at the
//! error appears, the path to it is checked, and if it is no execution, interpolants of the path strengthen the labels on it and
//! the error gets `false`. A node need not be expanded if its label implies that of an older node at its location: it is covered.
//! Before a leaf is expanded it is tried to make it so (forced covering): if the path from the last common ancestor implies the
//! label of an older node, interpolants of that path, and that label for the leaf itself, are added.
//!
//! Invariants:
//! - the label of a node and the block behind it imply the labels of its successors, and a successor that is not in the tree, though
//!   the node is expanded, has no states;
//! - a covered node's label implies that of the node that covers it, which is older and open. When the latter is strengthened,
//!   the implication is asked again;
//! - so once no open leaf is left to expand, every state that a run reaches satisfies the label of some open node at its location.
//!
//! Beyond the algorithm as published: a leaf that no run can reach from its parent's label is removed without a refinement;
//! refinement looks at the shortest part of a path that contradicts the label before it; interpolants are first sought among
//! the formulas that are known at the location already ([`Hypotheses`]), because that is what makes the labels of a loop converge. Relations
//! guessed from bounds that count on ([`crate::drift`]) are added to every label that they follow for.
//!
//! | module | holds |
//! |---|---|
//! | `unwinding` | the tree and what covers what |
//! | `entail` | implications between labels |

mod entail;
mod unwinding;

use crate::arg::{Node, NodeId, SearchOrder};
use crate::blocks::{BlockNo, Blocks, Flow, Formula, Formulas, Vocabulary};
use crate::certificate;
use crate::discrete::Discrete;
use crate::drift::Drift;
use crate::refine::{self, Attempt, Feasibility, Method, Path, Refiner, Segment};
use crate::run::{self, Observer, Progress, RunOptions, Stats};
use crate::trace::path_trace;
use craig_base::Budget;
use craig_cfa::pass::prepare::Prepared;
use craig_cfa::{LocId, Program};
use craig_encode::Encoder;
use craig_logic::{TermId, Terms};
use craig_smt::Smt;
use craig_smt::interpolate::Failure;
use craig_verdict::{Certificate, Outcome, Reason, Trace};
use entail::Entailment;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::rc::Rc;
use std::time::{Duration, Instant};
use unwinding::{Label, Unwinding};

/// How interpolants of a path are found; later ones when the earlier ones failed.
const ATTEMPTS: [Attempt; 3] = [Attempt::Default, Attempt::Strong, Attempt::Weak];
/// So many older nodes are tried for a forced covering.
const FORCED: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    pub blocks: Blocks,
    pub order: SearchOrder,
    /// Try to make leaves covered before they are expanded.
    pub force: bool,
    /// The one method of interpolation to use; otherwise all that the solver layer has.
    pub interpolation: Option<Method>,
}

impl Default for Options {
    fn default() -> Self {
        Options { blocks: Blocks::default(), order: SearchOrder::default(), force: true, interpolation: None }
    }
}

/// Runs on the program that [`craig_cfa::pass::prepare`] made, with large blocks for [`Blocks::Large`] and without for the others.
pub fn run(
    prepared: &Prepared,
    run_options: &RunOptions,
    options: &Options,
    budget: &Budget,
    observer: &mut dyn Observer,
    stats: &mut Stats,
) -> Outcome {
    run::with_solver(prepared, run_options, budget, |smt, encoder| {
        let mut engine = Engine::new(prepared, encoder, smt, *options, budget);
        let outcome = engine.check(observer);
        engine.report(stats);
        outcome
    })
}

/// A leaf to look at. The smallest goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Task {
    to_error: Reverse<bool>,
    priority: i64,
    number: u64,
    node: NodeId,
}

struct Engine<'a> {
    prepared: &'a Prepared,
    program: &'a Program,
    encoder: Encoder<'a>,
    smt: Smt,
    options: Options,
    budget: Budget,
    flow: Flow<'a>,
    vocabulary: Rc<Vocabulary>,
    formulas: Formulas,
    refiner: Refiner,
    entailment: Entailment,
    hypotheses: Hypotheses,
    tree: Unwinding,
    tasks: BinaryHeap<Reverse<Task>>,
    task_number: u64,
    refinements: u64,
    forced_covers: u64,
    nodes_made: u64,
    refine_time: Duration,
}

impl<'a> Engine<'a> {
    fn new(
        prepared: &'a Prepared,
        encoder: Encoder<'a>,
        smt: &Smt,
        options: Options,
        budget: &Budget,
    ) -> Self {
        let program = &prepared.program;
        let vocabulary = Rc::new(Vocabulary::new(&encoder));
        let discrete = Rc::new(Discrete::new(&encoder, &vocabulary));
        let refiner = Refiner::new(smt, Rc::clone(&vocabulary), discrete, options.interpolation);
        Engine {
            prepared,
            program,
            smt: smt.clone(),
            options,
            budget: budget.clone(),
            flow: Flow::new(program, options.blocks),
            formulas: Formulas::default(),
            refiner,
            entailment: Entailment::new(smt, Rc::clone(&vocabulary)),
            hypotheses: Hypotheses::default(),
            vocabulary,
            encoder,
            tree: Unwinding::default(),
            tasks: BinaryHeap::new(),
            task_number: 0,
            refinements: 0,
            forced_covers: 0,
            nodes_made: 0,
            refine_time: Duration::ZERO,
        }
    }

    fn check(&mut self, observer: &mut dyn Observer) -> Result<Outcome, Reason> {
        self.add(self.program.procs[self.program.entry].entry, None);
        while let Some(Reverse(task)) = self.tasks.pop() {
            self.budget.check_memory().map_err(Reason::Stopped)?;
            let node = task.node;
            if !self.tree.is_open(node) || self.tree.label(node).expanded {
                continue;
            }
            self.push(node)?;
            if self.is_unreachable(node)? {
                self.remove(node);
            } else if self.tree.art.node(node).loc == self.program.error {
                self.progress(observer);
                if let Some(trace) = self.refine(node, observer)? {
                    return Ok(Outcome::Unsafe(trace));
                }
            } else if !self.close(node)? && !self.force(node, observer)? {
                self.expand(node);
            }
        }
        Ok(Outcome::Safe(self.certificate()))
    }

    fn progress(&self, observer: &mut dyn Observer) {
        let phase = format!("refinement {}, {} nodes", self.refinements, self.tree.art.len());
        observer.progress(&Progress { phase, solver_calls: self.smt.stats().checks });
    }

    fn formula(&mut self, block: BlockNo) -> Result<Rc<Formula>, Reason> {
        self.formulas.get(&self.encoder, &self.vocabulary, &self.flow, block)
    }

    fn add(&mut self, loc: LocId, parent: Option<(NodeId, BlockNo)>) {
        let formula = self.encoder.terms.tru();
        let label = Label { conjuncts: BTreeSet::new(), formula, expanded: false };
        let node = self.tree.art.add(loc, parent, label);
        self.nodes_made += 1;
        self.want(&[node]);
    }

    fn want(&mut self, leaves: &[NodeId]) {
        for id in leaves {
            let node = self.tree.art.node(*id);
            let to_error = Reverse(node.loc == self.program.error);
            let priority = self.options.order.priority(node, &self.flow.order);
            self.task_number += 1;
            self.tasks.push(Reverse(Task { to_error, priority, number: self.task_number, node: *id }));
        }
    }

    fn expand(&mut self, node: NodeId) {
        self.tree.art.label_mut(node).expanded = true;
        let loc = self.tree.art.node(node).loc;
        // The last first: what leaves a loop before what stays in it, so that the first labels come from the shortest paths.
        for block in self.flow.leaving(loc).iter().rev() {
            self.add(self.flow.block(*block).to, Some((node, *block)));
        }
    }

    fn remove(&mut self, node: NodeId) {
        if self.tree.art.contains(node) {
            let leaves = self.tree.remove(node);
            self.want(&leaves);
        }
    }

    /// Whether the label of the node's parent allows no way to it.
    fn is_unreachable(&mut self, node: NodeId) -> Result<bool, Reason> {
        let Some((parent, block)) = self.tree.art.node(node).parent else { return Ok(false) };
        let formula = self.formula(block)?;
        if formula.constraints.is_empty() {
            return Ok(false);
        }
        let fls = self.encoder.terms.fls();
        self.entailment.holds_behind(self.tree.label(parent), block, &formula, fls)
    }

    /// Covers an open node if its label implies that of an older one.
    fn close(&mut self, node: NodeId) -> Result<bool, Reason> {
        for older in self.tree.older(node).collect::<Vec<_>>() {
            if self.entailment.implies(self.tree.label(node), self.tree.label(older))? {
                self.cover(node, older);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn cover(&mut self, node: NodeId, by: NodeId) {
        let leaves = self.tree.cover(node, by);
        self.want(&leaves);
    }

    /// Adds a formula to a label; whether that was news. What the node covers is asked again.
    fn strengthen(&mut self, node: NodeId, formula: TermId) -> Result<bool, Reason> {
        let terms = Rc::clone(&self.encoder.terms);
        let mut news = Vec::new();
        for conjunct in terms.conjuncts(formula).iter() {
            if !self.entailment.holds(self.tree.label(node), *conjunct)? {
                news.push(*conjunct);
            }
        }
        if news.is_empty() {
            return Ok(false);
        }
        let label = self.tree.art.label_mut(node);
        label.conjuncts.extend(news.iter().copied());
        label.formula = terms.and(label.conjuncts.iter().copied());
        for covered in self.tree.covered_by(node).to_vec() {
            let mut still = true;
            for conjunct in &news {
                still = still && self.entailment.holds(self.tree.label(covered), *conjunct)?;
            }
            if !still {
                let leaves = self.tree.uncover(covered);
                self.want(&leaves);
            }
        }
        Ok(true)
    }

    /// Adds the guesses at the node's location that follow from its parent's label; whether there were any.
    fn push(&mut self, node: NodeId) -> Result<bool, Reason> {
        let &Node { parent: Some((parent, block)), loc, .. } = self.tree.art.node(node) else {
            return Ok(false);
        };
        let mut news = false;
        for guess in self.hypotheses.guessed(loc) {
            let formula = self.formula(block)?;
            if self.entailment.holds_behind(self.tree.label(parent), block, &formula, guess)? {
                news |= self.strengthen(node, guess)?;
            }
        }
        Ok(news)
    }

    /// The same for the whole tree, from parents to children, after a new guess. Interpolants that count on say little of the next
    /// round of a loop; a relation that holds in all rounds is worth the work.
    fn push_all(&mut self) -> Result<(), Reason> {
        let nodes: Vec<NodeId> = self.tree.art.iter().map(|(id, _)| id).collect();
        let mut news = Vec::new();
        for node in nodes {
            if self.push(node)? {
                news.push(node);
            }
        }
        for node in news {
            if self.tree.is_open(node) {
                self.close(node)?;
            }
        }
        Ok(())
    }

    /// The blocks along a path of the tree.
    fn blocks(&mut self, nodes: &[NodeId]) -> Result<Vec<(BlockNo, Rc<Formula>)>, Reason> {
        let mut blocks = Vec::new();
        for node in &nodes[1..] {
            if let Some((_, block)) = self.tree.art.node(*node).parent {
                blocks.push((block, self.formula(block)?));
            }
        }
        Ok(blocks)
    }

    /// Checks the path to an error node: a trace if it can be executed; otherwise labels that show that it cannot.
    fn refine(&mut self, error: NodeId, observer: &mut dyn Observer) -> Result<Option<Trace>, Reason> {
        let start = Instant::now();
        let nodes = self.tree.art.path(error);
        let blocks = self.blocks(&nodes)?;
        let path = self.refiner.path(&blocks, &[]);
        let known: Vec<TermId> = match refine::looks_back(self.refinements) {
            true => vec![self.encoder.terms.tru(); nodes.len()],
            false => nodes.iter().map(|n| self.tree.label(*n).formula).collect(),
        };
        let segment = match self.refiner.feasibility(&path, &known)? {
            Feasibility::Feasible(model) => {
                return path_trace(&self.encoder, &blocks, &path, &model).map(Some);
            }
            Feasibility::Infeasible(segment) => segment,
        };
        self.refinements += 1;
        let guesses = self.hypotheses.guesses;
        let found = self.explain(&nodes, &path, &segment, &[], &ATTEMPTS, observer)?;
        let found = found.map_err(Reason::Refinement)?;
        let news = self.learn(&nodes, &found)?;
        self.remove(nodes[segment.parts.end() + 1]);
        for node in news {
            if self.tree.is_open(node) {
                self.close(node)?;
            }
        }
        if self.hypotheses.guesses > guesses {
            self.push_all()?;
        }
        self.refine_time += start.elapsed();
        Ok(None)
    }

    /// Interpolants of a segment of a path, by cut; or why there are none. Besides what is known at each location, `more` is tried.
    fn explain(
        &mut self,
        nodes: &[NodeId],
        path: &Path,
        segment: &Segment,
        more: &[TermId],
        attempts: &[Attempt],
        observer: &mut dyn Observer,
    ) -> Result<Result<Vec<(usize, TermId)>, String>, Reason> {
        let locs: Vec<LocId> = nodes.iter().map(|n| self.tree.art.node(*n).loc).collect();
        let mut candidates: Vec<Vec<TermId>> = locs[1..].iter().map(|l| self.hypotheses.at(*l)).collect();
        candidates.iter_mut().for_each(|c| c.extend(more));
        let mut failure = String::new();
        for attempt in self.refiner.allowed(attempts) {
            match self.refiner.explain(path, segment, attempt, &candidates) {
                Ok(found) => {
                    observer
                        .detail(&|| refine::describe(&self.encoder.terms, &locs, segment, attempt, &found));
                    for (cut, formula) in &found {
                        self.hypotheses.note(&self.encoder.terms, locs[cut + 1], *formula);
                    }
                    return Ok(Ok(found));
                }
                Err(Failure::Undecided(reason)) => return Err(reason.into()),
                Err(other) => failure = other.to_string(),
            }
            self.budget.check().map_err(Reason::Stopped)?;
        }
        Ok(Err(failure))
    }

    /// Adds formulas to the labels on a path, and removes what gets the label `false`; the nodes for which that was news.
    fn learn(&mut self, nodes: &[NodeId], found: &[(usize, TermId)]) -> Result<Vec<NodeId>, Reason> {
        let mut news = Vec::new();
        for (cut, formula) in found {
            let node = nodes[cut + 1];
            if self.encoder.terms.is_false(*formula) {
                self.remove(node);
                break;
            }
            if self.strengthen(node, *formula)? {
                news.push(node);
            }
        }
        Ok(news)
    }

    /// Tries to strengthen labels so that a leaf is covered by an older node, or found to be out of reach.
    fn force(&mut self, leaf: NodeId, observer: &mut dyn Observer) -> Result<bool, Reason> {
        let Some((parent, block)) = self.tree.art.node(leaf).parent.filter(|_| self.options.force) else {
            return Ok(false);
        };
        let formula = self.formula(block)?;
        for older in self.tree.older(leaf).take(FORCED).collect::<Vec<_>>() {
            let mut implied = true;
            for conjunct in &self.tree.label(older).conjuncts {
                implied = implied
                    && self.entailment.holds_behind(self.tree.label(parent), block, &formula, *conjunct)?;
            }
            implied = implied || self.force_from_ancestor(leaf, older, observer)?;
            if !self.tree.art.contains(leaf) {
                return Ok(true);
            }
            if implied {
                let goal = self.tree.label(older).formula;
                self.strengthen(leaf, goal)?;
                self.cover(leaf, older);
                self.forced_covers += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the path from the last common ancestor implies the older node's label at the leaf; if so, the labels between say why.
    fn force_from_ancestor(
        &mut self,
        leaf: NodeId,
        older: NodeId,
        observer: &mut dyn Observer,
    ) -> Result<bool, Reason> {
        let ancestor = self.tree.common_ancestor(leaf, older);
        let from = self.tree.art.node(ancestor).depth as usize;
        let nodes = self.tree.art.path(leaf)[from..].to_vec();
        if nodes.len() <= 2 {
            return Ok(false);
        }
        let blocks = self.blocks(&nodes)?;
        let not = self.encoder.terms.not(self.tree.label(older).formula);
        let path = self.refiner.path_to(&blocks, not);
        let contr = self.refiner.contradiction(&path, self.tree.label(ancestor).formula)?;
        let Some(segment) = contr else { return Ok(false) };
        let ends = [older, ancestor].map(|n| &self.tree.label(n).conjuncts);
        let ends: Vec<TermId> = ends.into_iter().flatten().copied().collect();
        let found = self.explain(&nodes, &path, &segment, &ends, &ATTEMPTS[..1], observer)?;
        let Ok(found) = found else { return Ok(false) };
        self.learn(&nodes, &found)?;
        let behind = segment.parts.end() + 1;
        if nodes[behind] != leaf {
            self.remove(nodes[behind]);
        }
        Ok(true)
    }

    /// At each loop head, the labels of all open nodes.
    fn certificate(&self) -> Certificate {
        let heads = self.flow.order.loop_head.iter_enumerated().filter(|(_, head)| **head);
        let mut formulas = Vec::new();
        for (loc, _) in heads {
            let open = self.tree.art.at(loc).iter().filter(|n| self.tree.is_open(**n));
            let all = self.encoder.terms.or(open.map(|n| self.tree.label(*n).formula));
            formulas.push((loc, certificate::readable(&self.smt, all)));
        }
        certificate::invariants(&self.encoder, self.prepared, &formulas)
    }

    fn report(&self, stats: &mut Stats) {
        stats.set("art_nodes", self.tree.art.len() as f64);
        stats.set("splits", self.nodes_made as f64);
        stats.set("covered", self.tree.covered() as f64);
        stats.set("forced_covers", self.forced_covers as f64);
        stats.set("refinements", self.refinements as f64);
        stats.solver(&self.smt);
        self.refiner.stats.report(stats);
        stats.set("refinement_s", self.refine_time.as_secs_f64());
    }
}

/// Formulas that were once found at a location, and guesses from their drift. Interpolants that are made of these again, where they
/// fit, keep the labels of a loop from counting on (`i <= 1`, `i <= 2`, ..).
#[derive(Debug, Default)]
struct Hypotheses {
    by_loc: FxHashMap<LocId, Vec<TermId>>,
    guessed: FxHashMap<LocId, Vec<TermId>>,
    /// How many guesses there are.
    guesses: usize,
    drift: Drift,
}

impl Hypotheses {
    /// So many of a location are tried, the newest.
    const TRIED: usize = 32;

    fn at(&self, loc: LocId) -> Vec<TermId> {
        let all = self.by_loc.get(&loc).map_or(&[][..], Vec::as_slice);
        all[all.len().saturating_sub(Self::TRIED)..].to_vec()
    }

    fn guessed(&self, loc: LocId) -> Vec<TermId> {
        self.guessed.get(&loc).cloned().unwrap_or_default()
    }

    fn note(&mut self, terms: &Terms, loc: LocId, formula: TermId) {
        let mut found = terms.conjuncts(formula).to_vec();
        let guesses = self.drift.note(terms, loc, &terms.atoms(&[formula]));
        // It is guessed what is worth asking, not whether it holds.
        let guesses: Vec<TermId> = guesses.iter().flat_map(|g| [*g, terms.not(*g)]).collect();
        self.guesses += guesses.len();
        self.guessed.entry(loc).or_default().extend(&guesses);
        found.extend(guesses);
        let known = self.by_loc.entry(loc).or_default();
        for formula in found {
            if !terms.is_false(formula) && !known.contains(&formula) {
                known.push(formula);
            }
        }
    }
}
