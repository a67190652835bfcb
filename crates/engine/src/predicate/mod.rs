//! Lazy predicate abstraction on an abstract reachability tree (document 003).
//!
//! Nodes of the tree are labelled with a BDD over predicates. The successor of a node through a block is the strongest Boolean
//! combination (or conjunction) of the predicates of the target's precision that the block allows from there
//! (`abstraction`). A path to the error is checked exactly; if it is infeasible, the atoms of interpolants join the precisions
//! of the locations on it, the tree is cut at the first node whose precision grew, and the search goes on.
//!
//! Invariants:
//! - once no task is left, every state that a run reaches at a location where blocks end satisfies the label of some node there;
//! - a successor whose states all belong to nodes of its location already is covered and gets no node; in Boolean abstraction a node
//!   is labelled with the states that its location did not have before, so that no state is enumerated or expanded twice. When
//!   nodes are removed, what relied on their labels is computed again;
//! - a node's precision is that of its location when the node was made; it may have grown since (lazy abstraction).
//!
//! Deviations from the document: a node is covered by all others at its location together, as BLAST does, not by one of them (the text's
//! definition has the implication the wrong way round besides); the Boolean abstraction keeps negative literals; the error is not
//! abstracted; refinement looks at the shortest part of a path before the error that is infeasible on its own.
//!
//! | module | holds |
//! |---|---|
//! | `abstraction` | successors of abstract states |

mod abstraction;

use crate::arg::{Art, NodeId, SearchOrder};
use crate::blocks::{BlockNo, Blocks, Flow, Formula, Formulas, Vocabulary};
use crate::certificate;
use crate::discrete::Discrete;
use crate::drift::Drift;
use crate::precision::{Precision, PredicateId, Predicates, Scope};
use crate::refine::{self, ATTEMPTS, Attempt, Feasibility, Path, Refiner, Segment};
use crate::run::{self, Observer, Progress, RunOptions, Stats};
use crate::trace::path_trace;
use abstraction::{Abstraction, Post};
use craig_base::Budget;
use craig_cfa::pass::prepare::Prepared;
use craig_cfa::{LocId, Program};
use craig_encode::Encoder;
use craig_logic::TermId;
use craig_smt::Smt;
use craig_smt::bdd::{Bdd, BooleanFunction, OutOfMemory};
use craig_smt::interpolate::{Failure, Method};
use craig_verdict::{Outcome, Reason, Trace};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What abstract states are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Conjunctions of predicates and negated ones.
    Cartesian,
    /// All Boolean combinations.
    #[default]
    Boolean,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    pub blocks: Blocks,
    pub abstraction: Kind,
    pub precision: Scope,
    pub order: SearchOrder,
    /// The one method of interpolation to use; otherwise all that the solver layer has.
    pub interpolation: Option<Method>,
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

/// What a node of the tree knows.
struct Label {
    state: Bdd,
    precision: Rc<[PredicateId]>,
    /// The state is only what no other node at the location had when this one was made.
    rest: bool,
}

/// A successor to be computed. The smallest goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Task {
    to_error: Reverse<bool>,
    priority: i64,
    number: i64,
    node: NodeId,
    block: BlockNo,
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
    predicates: Predicates,
    precision: Precision,
    discrete: Rc<Discrete>,
    /// Slots that explanations spoke of at a location.
    mentioned: FxHashSet<(LocId, u32)>,
    drift: Drift,
    abstraction: Abstraction,
    refiner: Refiner,
    art: Art<Label>,
    tasks: BinaryHeap<Reverse<Task>>,
    task_number: i64,
    /// All labels of nodes at a location together.
    reached: FxHashMap<LocId, Bdd>,
    /// Successors whose states all belong to nodes of their location: the parent and the block that leads to it.
    covered: FxHashMap<LocId, Vec<(NodeId, BlockNo)>>,
    refinements: u64,
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
        let refiner = Refiner::new(smt, Rc::clone(&vocabulary), Rc::clone(&discrete), options.interpolation);
        Engine {
            prepared,
            program,
            smt: smt.clone(),
            options,
            budget: budget.clone(),
            flow: Flow::new(program, options.blocks),
            formulas: Formulas::default(),
            predicates: Predicates::default(),
            precision: Precision::new(options.precision),
            abstraction: Abstraction::new(smt, Rc::clone(&vocabulary), options.abstraction),
            refiner,
            discrete,
            mentioned: FxHashSet::default(),
            drift: Drift::default(),
            vocabulary,
            encoder,
            art: Art::default(),
            tasks: BinaryHeap::new(),
            task_number: 0,
            reached: FxHashMap::default(),
            covered: FxHashMap::default(),
            refinements: 0,
            nodes_made: 0,
            refine_time: Duration::ZERO,
        }
    }

    fn check(&mut self, observer: &mut dyn Observer) -> Result<Outcome, Reason> {
        let entry = self.program.procs[self.program.entry].entry;
        let state = self.abstraction.bdds.constant(true);
        let precision = self.precision.at(self.program, entry);
        self.add_node(entry, None, Label { state, precision, rest: false })?;
        while let Some(Reverse(task)) = self.tasks.pop() {
            self.budget.check_memory().map_err(Reason::Stopped)?;
            if !self.is_due(task.node)? {
                continue;
            }
            let Some(node) = self.successor(task)? else { continue };
            if self.art.node(node).loc == self.program.error {
                self.progress(observer);
                if let Some(trace) = self.refine(node, observer)? {
                    return Ok(Outcome::Unsafe(trace));
                }
            }
        }
        Ok(Outcome::Safe(self.certificate()?))
    }

    fn progress(&self, observer: &mut dyn Observer) {
        let phase = format!(
            "refinement {}, {} predicates, {} nodes",
            self.refinements,
            self.predicates.len(),
            self.art.len()
        );
        observer.progress(&Progress { phase, solver_calls: self.smt.stats().checks });
    }

    fn formula(&mut self, block: BlockNo) -> Result<Rc<Formula>, Reason> {
        self.formulas.get(&self.encoder, &self.vocabulary, &self.flow, block)
    }

    /// Whether the successors of the node are still wanted. One that has none yet may have been covered by newer nodes.
    fn is_due(&mut self, id: NodeId) -> Result<bool, Reason> {
        if !self.art.contains(id) {
            return Ok(false);
        }
        let node = self.art.node(id);
        let (Some((parent, block)), true) = (node.parent, node.children.is_empty()) else { return Ok(true) };
        let loc = node.loc;
        if self.art.at(loc).len() == 1 {
            return Ok(true);
        }
        let others = self.union(loc, Some(id))?;
        if !self.implies(&self.art.node(id).label.state, &others)? {
            return Ok(true);
        }
        self.art.remove_subtree(id);
        self.reached.insert(loc, others);
        self.covered.entry(loc).or_default().push((parent, block));
        Ok(false)
    }

    fn implies(&self, a: &Bdd, b: &Bdd) -> Result<bool, Reason> {
        self.abstraction.bdds.implies(a, b).map_err(full)
    }

    /// The labels of all nodes at a location, without one of them.
    fn union(&self, loc: LocId, without: Option<NodeId>) -> Result<Bdd, Reason> {
        let mut all = self.abstraction.bdds.constant(false);
        for id in self.art.at(loc).iter().filter(|id| Some(**id) != without) {
            all = all.or(&self.art.node(*id).label.state).map_err(full)?;
        }
        Ok(all)
    }

    /// Computes a successor; `None` if it has no states that other nodes do not have.
    fn successor(&mut self, task: Task) -> Result<Option<NodeId>, Reason> {
        let to = self.flow.block(task.block).to;
        let formula = self.formula(task.block)?;
        let precision = self.precision.at(self.program, to);
        let from = &self.art.node(task.node).label.state;
        let reached = self.reached.get(&to);
        let post =
            self.abstraction.post(task.block, &formula, from, &self.predicates, &precision, reached)?;
        match post {
            Post::Infeasible => Ok(None),
            Post::Covered => {
                self.covered.entry(to).or_default().push((task.node, task.block));
                Ok(None)
            }
            Post::States { state, rest } => {
                self.add_node(to, Some((task.node, task.block)), Label { state, precision, rest }).map(Some)
            }
        }
    }

    fn add_node(
        &mut self,
        loc: LocId,
        parent: Option<(NodeId, BlockNo)>,
        label: Label,
    ) -> Result<NodeId, Reason> {
        self.nodes_made += 1;
        if loc == self.program.error {
            return Ok(self.art.add(loc, parent, label));
        }
        let reached = match self.reached.get(&loc) {
            Some(reached) => reached.or(&label.state).map_err(full)?,
            None => label.state.clone(),
        };
        self.reached.insert(loc, reached);
        let node = self.art.add(loc, parent, label);
        for block in self.flow.leaving(loc).iter() {
            self.want(node, *block);
        }
        Ok(node)
    }

    fn want(&mut self, id: NodeId, block: BlockNo) {
        self.task_number += 1;
        let node = self.art.node(id);
        let priority = self.options.order.priority(node, &self.flow.order);
        let to_error = Reverse(self.flow.block(block).to == self.program.error);
        self.tasks.push(Reverse(Task { to_error, priority, number: self.task_number, node: id, block }));
    }

    /// Checks the path to an error node: a trace if it can be executed; otherwise refines and cuts the tree.
    fn refine(&mut self, error: NodeId, observer: &mut dyn Observer) -> Result<Option<Trace>, Reason> {
        let start = Instant::now();
        let nodes = self.art.path(error);
        let mut blocks = Vec::new();
        for node in &nodes {
            if let Some((_, block)) = self.art.node(*node).parent {
                blocks.push((block, self.formula(block)?));
            }
        }
        let path = self.refiner.path(&blocks, &[]);
        let label = |n: &NodeId| self.abstraction.formula(&self.art.node(*n).label.state, &self.predicates);
        let known: Vec<TermId> = match refine::looks_back(self.refinements) {
            true => vec![self.encoder.terms.tru(); nodes.len()],
            false => nodes.iter().map(label).collect(),
        };
        let result = match self.refiner.feasibility(&path, &known)? {
            Feasibility::Feasible(model) => path_trace(&self.encoder, &blocks, &path, &model).map(Some),
            Feasibility::Infeasible(segment) => {
                self.refinements += 1;
                self.grow(&nodes, &path, segment, observer).map(|()| None)
            }
        };
        self.refine_time += start.elapsed();
        result
    }

    /// Adds predicates that exclude the segment of the path, and cuts the tree at the first node that they concern.
    fn grow(
        &mut self,
        nodes: &[NodeId],
        path: &Path,
        segment: Segment,
        observer: &mut dyn Observer,
    ) -> Result<(), Reason> {
        let mut failure = None;
        for attempt in self.refiner.allowed(&ATTEMPTS) {
            let found = match self.refiner.explain(path, &segment, attempt, &[]) {
                Ok(found) => found,
                Err(Failure::Undecided(reason)) => return Err(reason.into()),
                Err(other) => {
                    failure = Some(other.to_string());
                    self.budget.check().map_err(Reason::Stopped)?;
                    continue;
                }
            };
            let locs = || nodes.iter().map(|n| self.art.node(*n).loc).collect::<Vec<_>>();
            observer.detail(&|| refine::describe(&self.encoder.terms, &locs(), &segment, attempt, &found));
            let atoms = found.into_iter().map(|(cut, f)| (nodes[cut + 1], self.encoder.terms.atoms(&[f])));
            let atoms: Vec<_> = atoms.collect();
            if let Some(top) = self.add_predicates(&atoms, attempt) {
                return self.cut(top);
            }
            if attempt == Attempt::Default {
                self.budget.check().map_err(Reason::Stopped)?;
            }
        }
        Err(Reason::Refinement(failure.unwrap_or_else(|| "no new predicates for an infeasible path".into())))
    }

    /// Adds atoms to the precisions of nodes on a path, in the order of the path; the first node that does not have them all.
    fn add_predicates(&mut self, atoms: &[(NodeId, Vec<TermId>)], attempt: Attempt) -> Option<NodeId> {
        let mut first = None;
        for (id, atoms) in atoms {
            let bdds = &self.abstraction.bdds;
            let terms = &self.encoder.terms;
            let mut atoms = atoms.clone();
            atoms.extend(self.drift.note(terms, self.art.node(*id).loc, &atoms));
            let node = self.art.node(*id);
            for slot in self.vocabulary.slots_of(terms, &atoms) {
                // Once is no reason: an abstraction that knows all values of all variables is too much work.
                let again = !self.mentioned.insert((node.loc, slot));
                if again || attempt == Attempt::Values {
                    atoms.extend(self.discrete.atoms(terms, &self.vocabulary, slot));
                }
            }
            let wanted: Vec<PredicateId> =
                atoms.iter().map(|a| self.predicates.add(terms, &self.vocabulary, bdds, *a).0).collect();
            let missing = |p: &PredicateId| node.label.precision.binary_search(p).is_err();
            if wanted.iter().any(missing) {
                self.precision.add(self.program, node.loc, &wanted);
                first = first.or(Some(*id));
            }
        }
        first
    }

    /// Removes a subtree and makes its top wanted again. So are successors that were covered with its help, or labelled with what
    /// the rest of their location did not have.
    fn cut(&mut self, top: NodeId) -> Result<(), Reason> {
        let Some((parent, block)) = self.art.node(top).parent else {
            return Err(Reason::Internal("the root has a precision".into()));
        };
        let removed = self.art.remove_subtree(top);
        let mut affected: Vec<LocId> = removed.iter().map(|n| self.art.node(*n).loc).collect();
        affected.sort_unstable();
        affected.dedup();
        self.want(parent, block);
        for loc in affected {
            let union = self.union(loc, None)?;
            self.reached.insert(loc, union);
            let mut again = self.covered.remove(&loc).unwrap_or_default();
            again.retain(|(node, _)| self.art.contains(*node));
            let here = self.art.at(loc).iter().map(|id| self.art.node(*id)).filter(|n| n.label.rest);
            again.extend(here.filter_map(|n| n.parent));
            for (node, block) in again {
                self.want(node, block);
            }
        }
        Ok(())
    }

    /// At each loop head, the labels of all nodes.
    fn certificate(&self) -> Result<craig_verdict::Certificate, Reason> {
        let heads = self.flow.order.loop_head.iter_enumerated().filter(|(_, head)| **head);
        let mut formulas = Vec::new();
        for (loc, _) in heads {
            let all = self.union(loc, None)?;
            formulas.push((
                loc,
                certificate::readable(&self.smt, self.abstraction.formula(&all, &self.predicates)),
            ));
        }
        Ok(certificate::invariants(&self.encoder, self.prepared, &formulas))
    }

    fn report(&self, stats: &mut Stats) {
        let covered = self.covered.values().flatten().filter(|(node, _)| self.art.contains(*node)).count();
        let sizes: Vec<usize> = self.precision.sizes().collect();
        let locations: FxHashSet<LocId> = self.art.iter().map(|(_, n)| n.loc).collect();
        stats.set("art_nodes", (self.art.len() + covered) as f64);
        stats.set("art_nodes_made", self.nodes_made as f64);
        stats.set("covered", covered as f64);
        stats.set("refinements", self.refinements as f64);
        stats.set("predicates_total", self.predicates.len() as f64);
        let average = sizes.iter().sum::<usize>() as f64 / locations.len().max(1) as f64;
        stats.set("predicates_avg", average);
        stats.set("predicates_max", sizes.iter().max().copied().unwrap_or(0) as f64);
        stats.solver(&self.smt);
        self.refiner.stats.report(stats);
        self.abstraction.report(stats);
        stats.set("refinement_s", self.refine_time.as_secs_f64());
    }
}

fn full(_: OutOfMemory) -> Reason {
    Reason::Solver("the BDD manager is full".into())
}
