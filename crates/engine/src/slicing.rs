//! Slicing abstraction with path formulas (document 000).
//!
//! The graph of blocks is the first abstraction: one node per location, labelled `true`. A shortest path to the error is checked
//! exactly, with the labels of its nodes. If it is infeasible, interpolants split the nodes on it: one half is labelled with the
//! interpolant, the other with its negation, and both get all edges of the node. Slicing then removes the edges that no state
//! can take any more, the nodes that the entry no longer reaches, and those that no longer reach the error. No path left: safe.
//!
//! Invariants:
//! - the labels of the nodes that a location ever had cover all states, and splitting keeps that;
//! - a node that goes because it does not reach the error had no edge to a node that does: the labels of such nodes, with those that
//!   are left when the last path is gone, are the proof.
//!
//! Where this goes beyond the document:
//! - interpolants speak of what the labels do not say already, and only of the part of the path that contradicts itself
//!   ([`crate::refine`]); a node whose label decides its interpolant is not split;
//! - only edges at split nodes are asked for again. An edge keeps the states that a solver named for it, and lives on without a
//!   question while they satisfy the labels of its ends; a core that refuted a block is remembered and refutes it again;
//! - a path of blocks that can be executed is an error even where the labels of its nodes say that this one cannot.

use crate::blocks::{BlockNo, Blocks, Flow, Formula, Formulas, Sessions, Vocabulary};
use crate::certificate;
use crate::discrete::Discrete;
use crate::drift::Drift;
use crate::refine::{Attempt, Feasibility, Method, Refiner, describe, looks_back};
use crate::run::{self, Observer, Progress, RunOptions, Stats};
use crate::trace;
use craig_base::Budget;
use craig_cfa::LocId;
use craig_cfa::pass::prepare::Prepared;
use craig_encode::Encoder;
use craig_logic::{Evaluator, Model, TermId, Terms};
use craig_smt::interpolate::Failure;
use craig_smt::{Answer, Session, Smt};
use craig_verdict::{Certificate, Outcome, Reason, Trace};
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

index_vec::define_index_type! { struct NodeId = u32; }
index_vec::define_index_type! { struct EdgeId = u32; }

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    pub blocks: Blocks,
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

/// An abstract state: a location and a formula.
#[derive(Debug)]
struct Node {
    loc: LocId,
    /// Conjuncts over the vocabulary of the state, ascending.
    label: Vec<TermId>,
    entering: Vec<EdgeId>,
    leaving: Vec<EdgeId>,
    removed: bool,
}

impl Node {
    fn new(loc: LocId, label: Vec<TermId>) -> Node {
        Node { loc, label, entering: Vec::new(), leaving: Vec::new(), removed: false }
    }
}

#[derive(Debug, Clone)]
struct Edge {
    from: NodeId,
    to: NodeId,
    block: BlockNo,
    /// States that take the edge, as far as is known.
    example: Option<Rc<Example>>,
    removed: bool,
}

/// A state before a block and the state after it.
#[derive(Debug)]
struct Example {
    before: Model,
    after: Model,
}

/// What is known of a block.
struct Asked {
    formula: Rc<Formula>,
    /// Conjuncts over the state before the block that contradict it together.
    cores: Vec<Vec<TermId>>,
    /// From conjuncts over the state after the block to the same over the state before it.
    before: FxHashMap<TermId, TermId>,
}

#[derive(Debug, Default)]
struct Counters {
    refinements: u64,
    /// Refinements that values of discrete variables could not explain.
    general: u64,
    splits: u64,
    edge_checks: u64,
    /// Edges whose fate was known without the solver.
    by_syntax: u64,
    by_core: u64,
    by_example: u64,
    refine_time: Duration,
    slice_time: Duration,
}

struct Engine<'a> {
    prepared: &'a Prepared,
    encoder: Encoder<'a>,
    terms: Rc<Terms>,
    smt: Smt,
    budget: Budget,
    flow: Flow<'a>,
    vocabulary: Rc<Vocabulary>,
    blocks: FxHashMap<BlockNo, Asked>,
    sessions: Sessions,
    refiner: Refiner,
    drift: Drift,
    /// Answers questions about labels.
    labels: Session,
    nodes: IndexVec<NodeId, Node>,
    edges: IndexVec<EdgeId, Edge>,
    start: NodeId,
    error: NodeId,
    /// Paths of blocks that cannot be executed whatever the labels say.
    refuted: FxHashSet<Vec<BlockNo>>,
    /// Labels of nodes that were reached but do not lead to the error.
    proved: FxHashMap<LocId, Vec<TermId>>,
    counters: Counters,
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
        let mut nodes = IndexVec::new();
        let mut node = |loc| nodes.push(Node::new(loc, Vec::new()));
        let (start, error) = (node(program.procs[program.entry].entry), node(program.error));
        Engine {
            prepared,
            terms: Rc::clone(&encoder.terms),
            smt: smt.clone(),
            budget: budget.clone(),
            flow: Flow::new(program, options.blocks),
            blocks: FxHashMap::default(),
            sessions: Sessions::new(smt),
            labels: smt.session(),
            vocabulary,
            encoder,
            refiner,
            drift: Drift::default(),
            nodes,
            edges: IndexVec::new(),
            start,
            error,
            refuted: FxHashSet::default(),
            proved: FxHashMap::default(),
            counters: Counters::default(),
        }
    }

    fn check(&mut self, observer: &mut dyn Observer) -> Result<Outcome, Reason> {
        self.build()?;
        let all: Vec<EdgeId> = self.edges.indices().collect();
        self.slice(&all)?;
        while let Some(path) = self.shortest_path() {
            self.budget.check_memory().map_err(Reason::Stopped)?;
            self.progress(observer);
            let start = Instant::now();
            let refined = self.refine(&path, observer);
            self.counters.refine_time += start.elapsed();
            match refined? {
                Refined::Error(trace) => return Ok(Outcome::Unsafe(trace)),
                Refined::Split(touched) => self.slice(&touched)?,
            }
        }
        Ok(Outcome::Safe(self.certificate()))
    }

    fn progress(&self, observer: &mut dyn Observer) {
        let nodes = self.alive().count();
        let Counters { refinements, splits, .. } = self.counters;
        let phase = format!("refinement {refinements}, {splits} splits, {nodes} nodes");
        observer.progress(&Progress { phase, solver_calls: self.smt.stats().checks });
    }

    fn alive(&self) -> impl Iterator<Item = NodeId> {
        self.nodes.iter_enumerated().filter(|(_, n)| !n.removed).map(|(id, _)| id)
    }

    /// One node per location, one edge per block.
    fn build(&mut self) -> Result<(), Reason> {
        let mut known: FxHashMap<LocId, NodeId> = FxHashMap::default();
        known.extend([self.start, self.error].map(|n| (self.nodes[n].loc, n)));
        let mut formulas = Formulas::default();
        let mut open = vec![self.start];
        while let Some(from) = open.pop() {
            for &block in self.flow.leaving(self.nodes[from].loc).iter() {
                let loc = self.flow.block(block).to;
                let to = *known.entry(loc).or_insert_with(|| {
                    let new = self.nodes.push(Node::new(loc, Vec::new()));
                    open.push(new);
                    new
                });
                self.add_edge(Edge { from, to, block, example: None, removed: false });
                let formula = formulas.get(&self.encoder, &self.vocabulary, &self.flow, block)?;
                let (cores, before) = (Vec::new(), FxHashMap::default());
                self.blocks.insert(block, Asked { formula, cores, before });
            }
        }
        Ok(())
    }

    fn add_edge(&mut self, edge: Edge) -> EdgeId {
        let Edge { from, to, .. } = edge;
        let id = self.edges.push(edge);
        self.nodes[from].leaving.push(id);
        self.nodes[to].entering.push(id);
        id
    }

    fn remove_edge(&mut self, id: EdgeId) {
        let Edge { from, to, .. } = self.edges[id];
        self.edges[id].removed = true;
        self.edges[id].example = None;
        self.nodes[from].leaving.retain(|e| *e != id);
        self.nodes[to].entering.retain(|e| *e != id);
    }

    fn remove_node(&mut self, id: NodeId) {
        let node = &self.nodes[id];
        for edge in [node.entering.as_slice(), node.leaving.as_slice()].concat() {
            self.remove_edge(edge);
        }
        self.nodes[id].removed = true;
    }

    /// Nodes and edges from the start to the error, over as few edges as can be.
    fn shortest_path(&self) -> Option<Vec<EdgeId>> {
        let mut through: FxHashMap<NodeId, EdgeId> = FxHashMap::default();
        let mut open = VecDeque::from([self.start]);
        while let Some(node) = open.pop_front() {
            for &edge in &self.nodes[node].leaving {
                let to = self.edges[edge].to;
                if to == self.start || through.contains_key(&to) {
                    continue;
                }
                through.insert(to, edge);
                if to == self.error {
                    let mut path = vec![edge];
                    while let Some(edge) = through.get(&self.edges[path[path.len() - 1]].from) {
                        path.push(*edge);
                    }
                    path.reverse();
                    return Some(path);
                }
                open.push_back(to);
            }
        }
        None
    }

    /// Removes those of the edges that no state can take, then the nodes that lie on no way from the start to the error.
    fn slice(&mut self, touched: &[EdgeId]) -> Result<(), Reason> {
        let start = Instant::now();
        for &edge in touched {
            if !self.edges[edge].removed && !self.is_feasible(edge)? {
                self.remove_edge(edge);
            }
        }
        let reached = self.closure(self.start, |node| &node.leaving, |edge| edge.to);
        let leading = self.closure(self.error, |node| &node.entering, |edge| edge.from);
        let ended: Vec<NodeId> =
            self.alive().filter(|n| !(reached.contains(n) && leading.contains(n))).collect();
        for node in ended {
            if reached.contains(&node) {
                let label = self.label(node);
                self.proved.entry(self.nodes[node].loc).or_default().push(label);
            }
            if node != self.start && node != self.error {
                self.remove_node(node);
            }
        }
        self.counters.slice_time += start.elapsed();
        Ok(())
    }

    fn closure(
        &self,
        from: NodeId,
        edges: impl Fn(&Node) -> &Vec<EdgeId>,
        end: impl Fn(&Edge) -> NodeId,
    ) -> FxHashSet<NodeId> {
        let mut found = FxHashSet::from_iter([from]);
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for edge in edges(&self.nodes[node]) {
                let next = end(&self.edges[*edge]);
                if found.insert(next) {
                    open.push(next);
                }
            }
        }
        found
    }

    fn label(&self, node: NodeId) -> TermId {
        self.terms.and(self.nodes[node].label.iter().copied())
    }

    /// Whether some state takes the edge, from the label of its source to that of its target.
    fn is_feasible(&mut self, id: EdgeId) -> Result<bool, Reason> {
        let Edge { from, to, block, .. } = self.edges[id];
        let terms = Rc::clone(&self.terms);
        self.counters.edge_checks += 1;
        let (source, target) = (&self.nodes[from].label, &self.nodes[to].label);
        let asked = self.blocks.get_mut(&block).expect("every edge has a block");
        let mut assumed: FxHashSet<TermId> = source.iter().copied().collect();
        for &conjunct in target {
            let formula = &asked.formula;
            let before = || formula.before(&terms, &self.vocabulary, conjunct);
            assumed.insert(*asked.before.entry(conjunct).or_insert_with(before));
        }
        if contradictory(&terms, &assumed) {
            self.counters.by_syntax += 1;
            return Ok(false);
        }
        if asked.cores.iter().any(|core| core.iter().all(|t| assumed.contains(t))) {
            self.counters.by_core += 1;
            return Ok(false);
        }
        if let Some(example) = &self.edges[id].example
            && all_hold(&terms, source, &example.before)
            && all_hold(&terms, target, &example.after)
        {
            self.counters.by_example += 1;
            return Ok(true);
        }
        self.edges[id].example = None;
        let mut assumed: Vec<TermId> = assumed.into_iter().collect();
        assumed.sort_unstable();
        let session = self.sessions.get(block, &asked.formula);
        match session.check_assuming(&assumed) {
            Answer::Unsat => {
                asked.cores.push(session.core());
                Ok(false)
            }
            Answer::Sat => {
                if let Some(before) = session.model() {
                    let after = state_after(&terms, &self.vocabulary, &asked.formula, &before);
                    self.edges[id].example = Some(Rc::new(Example { before, after }));
                }
                Ok(true)
            }
            // Not known to be infeasible: it stays.
            Answer::Unknown(craig_smt::Reason::GaveUp(_)) => Ok(true),
            Answer::Unknown(reason) => Err(reason.into()),
        }
    }

    /// Checks a path: the error can be reached on it, or its nodes are split.
    fn refine(&mut self, path: &[EdgeId], observer: &mut dyn Observer) -> Result<Refined, Reason> {
        let edges = path.iter().map(|e| &self.edges[*e]);
        let numbers: Vec<BlockNo> = edges.clone().map(|e| e.block).collect();
        let nodes: Vec<NodeId> = edges.map(|e| e.from).chain([self.error]).collect();
        let blocks: Vec<_> = numbers.iter().map(|b| (*b, Rc::clone(&self.blocks[b].formula))).collect();
        let nothing = vec![self.terms.tru(); nodes.len()];
        if !self.refuted.contains(&numbers) {
            let plain = self.refiner.path(&blocks, &nothing);
            match self.refiner.feasibility(&plain, &nothing)? {
                Feasibility::Feasible(model) => {
                    return trace::path_trace(&self.encoder, &blocks, &plain, &model).map(Refined::Error);
                }
                Feasibility::Infeasible(_) => self.refuted.insert(numbers),
            };
        }
        self.counters.refinements += 1;
        let labels: Vec<TermId> = nodes.iter().map(|n| self.label(*n)).collect();
        let touched = self.split_path(&nodes, &blocks, &labels, &[Attempt::Tuples], observer)?;
        if !touched.is_empty() {
            return Ok(Refined::Split(touched));
        }
        const ATTEMPTS: [Attempt; 4] = [Attempt::Default, Attempt::Strong, Attempt::Weak, Attempt::PathAtoms];
        self.counters.general += 1;
        let labels = if looks_back(self.counters.general) { nothing } else { labels };
        let touched = self.split_path(&nodes, &blocks, &labels, &ATTEMPTS, observer)?;
        match touched.is_empty() {
            true => Err(Reason::Refinement("no new labels for an infeasible path".into())),
            false => Ok(Refined::Split(touched)),
        }
    }

    /// Splits the nodes of an infeasible path by what the first attempt says that says something new; the edges of split nodes.
    fn split_path(
        &mut self,
        nodes: &[NodeId],
        blocks: &[(BlockNo, Rc<Formula>)],
        labels: &[TermId],
        attempts: &[Attempt],
        observer: &mut dyn Observer,
    ) -> Result<Vec<EdgeId>, Reason> {
        let path = self.refiner.path(blocks, labels);
        let segment = match self.refiner.feasibility(&path, labels)? {
            Feasibility::Infeasible(segment) => segment,
            Feasibility::Feasible(_) => return Err(Reason::Internal("labels make a path feasible".into())),
        };
        let locs: Vec<LocId> = nodes.iter().map(|n| self.nodes[*n].loc).collect();
        let mut failure = None;
        for attempt in self.refiner.allowed(attempts) {
            let found = match self.refiner.explain(&path, &segment, attempt, &[]) {
                Ok(found) => found,
                Err(Failure::Undecided(reason)) => return Err(reason.into()),
                Err(other) => {
                    failure = Some(other.to_string());
                    self.budget.check().map_err(Reason::Stopped)?;
                    continue;
                }
            };
            observer.detail(&|| describe(&self.terms, &locs, &segment, attempt, &found));
            let mut touched = FxHashSet::default();
            // A node that the path visits twice is split by both interpolants.
            let mut parts: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
            for (cut, formula) in found {
                let node = nodes[cut + 1];
                let mut formulas = vec![formula];
                let atoms = self.terms.atoms(&[formula]);
                formulas.extend(self.drift.note(&self.terms, self.nodes[node].loc, &atoms));
                let parts = parts.entry(node).or_insert_with(|| vec![node]);
                for formula in formulas {
                    for part in parts.clone() {
                        parts.extend(self.split(part, formula, &mut touched)?);
                    }
                }
            }
            if !touched.is_empty() {
                let mut touched: Vec<EdgeId> = touched.into_iter().collect();
                touched.sort_unstable();
                return Ok(touched);
            }
        }
        failure.map_or(Ok(Vec::new()), |failure| Err(Reason::Refinement(failure)))
    }

    /// Splits a node unless its label decides the formula; the new half. The edges of both halves are noted.
    fn split(
        &mut self,
        id: NodeId,
        formula: TermId,
        touched: &mut FxHashSet<EdgeId>,
    ) -> Result<Option<NodeId>, Reason> {
        let negation = self.terms.not(formula);
        if id == self.start
            || id == self.error
            || self.excludes(id, formula)?
            || self.excludes(id, negation)?
        {
            return Ok(None);
        }
        self.counters.splits += 1;
        let loc = self.nodes[id].loc;
        let mut label = self.nodes[id].label.clone();
        extend(&self.terms, &mut label, negation);
        extend(&self.terms, &mut self.nodes[id].label, formula);
        let other = self.nodes.push(Node::new(loc, label));
        let both = |end| if end == id { [Some(id), Some(other)] } else { [Some(end), None] };
        let Node { entering, leaving, .. } = &self.nodes[id];
        let mut edges = [entering.as_slice(), leaving.as_slice()].concat();
        edges.sort_unstable();
        edges.dedup();
        for edge in edges {
            touched.insert(edge);
            let old = self.edges[edge].clone();
            for from in both(old.from).into_iter().flatten() {
                for to in both(old.to).into_iter().flatten() {
                    if (from, to) != (old.from, old.to) {
                        touched.insert(self.add_edge(Edge { from, to, ..old.clone() }));
                    }
                }
            }
        }
        Ok(Some(other))
    }

    /// Whether no state of a node satisfies a formula.
    fn excludes(&mut self, node: NodeId, formula: TermId) -> Result<bool, Reason> {
        let terms = &self.terms;
        if terms.is_true(formula) || terms.is_false(formula) {
            return Ok(terms.is_false(formula));
        }
        let mut assumed = self.nodes[node].label.clone();
        assumed.extend(terms.conjuncts(formula).iter());
        if contradictory(terms, &assumed.iter().copied().collect()) {
            return Ok(true);
        }
        match self.labels.check_assuming(&assumed) {
            Answer::Unsat => Ok(true),
            Answer::Sat | Answer::Unknown(craig_smt::Reason::GaveUp(_)) => Ok(false),
            Answer::Unknown(reason) => Err(reason.into()),
        }
    }

    /// At each loop head, the labels of all nodes that were reached.
    fn certificate(&self) -> Certificate {
        let heads = self.flow.order.loop_head.iter_enumerated().filter(|(_, head)| **head);
        let formula = |loc| {
            let labels = self.proved.get(&loc).into_iter().flatten();
            certificate::readable(&self.smt, self.terms.or(labels.copied()))
        };
        let formulas: Vec<_> = heads.map(|(loc, _)| (loc, formula(loc))).collect();
        certificate::invariants(&self.encoder, self.prepared, &formulas)
    }

    fn report(&self, stats: &mut Stats) {
        let counters = &self.counters;
        stats.set("nodes", self.alive().count() as f64);
        stats.set("nodes_made", self.nodes.len() as f64);
        stats.set("splits", counters.splits as f64);
        stats.set("refinements", counters.refinements as f64);
        stats.solver(&self.smt);
        self.refiner.stats.report(stats);
        stats.set("edge_checks", counters.edge_checks as f64);
        stats.set("edges_by_syntax", counters.by_syntax as f64);
        stats.set("edges_by_core", counters.by_core as f64);
        stats.set("edges_by_example", counters.by_example as f64);
        stats.set("refinement_s", counters.refine_time.as_secs_f64());
        stats.set("slicing_s", counters.slice_time.as_secs_f64());
    }
}

/// What became of a path.
enum Refined {
    Error(Trace),
    /// The edges of nodes that were split.
    Split(Vec<EdgeId>),
}

/// Adds the conjuncts of a formula to a label.
fn extend(terms: &Terms, label: &mut Vec<TermId>, formula: TermId) {
    label.extend(terms.conjuncts(formula).iter());
    label.sort_unstable();
    label.dedup();
}

/// Whether formulas contradict each other for all to see: one is false, or the negation of another, or a disjunction of such.
fn contradictory(terms: &Terms, formulas: &FxHashSet<TermId>) -> bool {
    formulas.iter().any(|f| terms.disjuncts(*f).iter().all(|d| formulas.contains(&terms.not(*d))))
}

fn all_hold(terms: &Terms, formulas: &[TermId], model: &Model) -> bool {
    let mut values = Evaluator::new(terms, model);
    formulas.iter().all(|f| values.holds(*f))
}

/// The state that a block makes of another.
fn state_after(terms: &Terms, vocabulary: &Vocabulary, formula: &Formula, before: &Model) -> Model {
    let mut after = before.clone();
    let mut values = Evaluator::new(terms, before);
    for (slot, term) in &formula.changed {
        let symbol = terms.as_symbol(vocabulary.symbols[*slot as usize]).expect("a symbol");
        after.set(symbol, values.eval(*term));
    }
    after
}
