//! Slicing abstraction with path formulas (SLICE).
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
//! Deviations from SLICE:
//! - with [`crate::explain::Heuristics`]: interpolants speak only of a short part of the path that contradicts itself, with the labels of its nodes; those that
//!   name the values of discrete variables ([`crate::explain::tuples`]) are sought first: paths through protocols are refuted block by block, where general
//!   interpolation of the whole path takes seconds. (Tried for predicate abstraction too and taken back: half of the slow programs got slower.) Relations
//!   guessed from bounds that count on in step split nodes as well;
//! - the shortest part of the path that contradicts itself is looked for first, without labels: what follows from few blocks says little, and the same on every path that has them. Labels are halves of what explained
//!   other paths, and what explains a path with them only adds to that. They count where no such part is found with little work, and where the path carries values of discrete variables from block to block: protocols;
//! - a node whose label decides its interpolant is not split;
//! - blocks may be single or adjustable; the paper's transformation 1 is what large blocks do (it does not say that a self-loop is not removed);
//! - only edges at split nodes are asked for again, and of these only those that a shortest path takes: the others stay as if they could be taken, which is
//!   all that the proof needs of them. An edge keeps the states that a solver named for it, and lives on without a
//!   question while they satisfy the labels of its ends; a core that refuted a block is remembered and refutes it again;
//! - a path of blocks that can be executed is an error even where the labels of its nodes say that this one cannot.

use crate::certificate;
use crate::explain::{Explained, Heuristic, Plan, Refined, Rung};
use crate::formulas::{Formula, Plain, Sessions};
use crate::options::RefinementOptions;
use crate::path::Path;
use crate::refine::{Conflict, Examined, Parts, Refiner};
use crate::run::{Control, Found, Observer, Search, Stats};
use crate::slots::Slots;
use crate::task::Task;
use crate::workbench::Workbench;
use clap::Args;
use craig_base::Timer;
use craig_cfa::{BlockId, LocId};
use craig_encode::Arith;
use craig_logic::{Evaluator, Model, TermId, Terms};
use craig_smt::Status;
use craig_verdict::{Counterexample, Outcome, Reason};
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

index_vec::define_index_type! { struct NodeId = u32; }
index_vec::define_index_type! { struct EdgeId = u32; }

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct Options {
    #[command(flatten)]
    pub refinement: RefinementOptions,
}

/// How paths are explained.
const PLAN: Plan = Plan {
    ladder: &[Rung::Tuples, Rung::Default, Rung::Strong, Rung::Weak, Rung::PathAtoms],
    all_values: false,
    // Tried and taken back: one random program came, one went, and explaining paths of two protocols took twice as long.
    candidates: false,
    weaken: true,
};

/// Work for the question whether an edge can be taken, or what a label says: about a third of a second's in integers. Not tuned.
const EDGE_WORK: u32 = 2_000_000;

/// States that are kept of a block. To look at them costs about as much as one question to the solver.
const EXAMPLES: usize = 32;

pub fn run(task: &Task, arith: Arith, options: &Options, control: &mut Control<'_>) -> Found {
    let Parts { bench, refiner } = Parts::new(task, arith, &options.refinement, control.budget)?;
    let graph = Graph::new(bench)?;
    control.run(Engine { graph, refiner, refuted: FxHashSet::default() })
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
    block: BlockId,
    /// States that take the edge, as far as is known.
    example: Option<Rc<Example>>,
    /// It is to be asked whether some state takes it, before a path does.
    due: bool,
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
    /// States that take edges of the block, the newest first.
    examples: VecDeque<Rc<Example>>,
    /// From conjuncts over the state after the block to the same over the state before it.
    before: FxHashMap<TermId, TermId>,
}

#[derive(Debug, Default)]
struct Counters {
    splits: u64,
    edge_checks: u64,
    /// Edges whose fate was known without the solver.
    by_syntax: u64,
    by_core: u64,
    by_example: u64,
    /// Edges that were kept because the question took too long.
    undecided: u64,
    time: Duration,
}

struct Engine<'t> {
    graph: Graph<'t>,
    refiner: Refiner,
    /// Paths of blocks that cannot be executed whatever the labels say.
    refuted: FxHashSet<Vec<BlockId>>,
}

impl Search for Engine<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        while let Some(path) = self.graph.next_path()? {
            self.graph.bench.budget.check_memory()?;
            self.progress(observer);
            if let Some(found) = self.refine(&path, observer)? {
                return Ok(Outcome::Unsafe(found));
            }
        }
        // At each loop head, the labels of all nodes that were reached.
        let Graph { bench, proved, .. } = &self.graph;
        certificate::at_heads(bench, |loc| {
            Ok(bench.terms.or(proved.get(&loc).into_iter().flatten().copied()))
        })
        .map(Outcome::Safe)
    }

    fn report(&self, stats: &mut Stats) {
        let counters = &self.graph.counters;
        stats.set("nodes", self.graph.alive().count() as f64);
        stats.set("nodes_made", self.graph.nodes.len() as f64);
        stats.set("splits", counters.splits as f64);
        self.graph.bench.report(stats);
        self.refiner.report(stats);
        stats.set("edge_checks", counters.edge_checks as f64);
        stats.set("edges_by_syntax", counters.by_syntax as f64);
        stats.set("edges_by_core", counters.by_core as f64);
        stats.set("edges_by_example", counters.by_example as f64);
        stats.set("edges_undecided", counters.undecided as f64);
        stats.set("slicing_s", counters.time.as_secs_f64());
    }
}

impl Engine<'_> {
    fn progress(&self, observer: &mut dyn Observer) {
        let (nodes, splits) = (self.graph.alive().count(), self.graph.counters.splits);
        let refinements = self.refiner.stats.refinements;
        let phase = format!("refinement {refinements}, {splits} splits, {nodes} nodes");
        self.graph.bench.progress(observer, phase);
    }

    /// Checks a path: the error can be reached on it, or its nodes are split.
    fn refine(
        &mut self,
        path: &[EdgeId],
        observer: &mut dyn Observer,
    ) -> Result<Option<Counterexample>, Reason> {
        let edges = path.iter().map(|e| &self.graph.edges[*e]);
        let blocks: Vec<BlockId> = edges.clone().map(|e| e.block).collect();
        let nodes: Vec<NodeId> = edges.map(|e| e.from).chain([self.graph.error]).collect();
        if !self.refuted.contains(&blocks) {
            if let Some(found) = self.refiner.execution(&mut self.graph.bench, blocks.iter().copied())? {
                return Ok(Some(found));
            }
            self.refuted.insert(blocks.clone());
        }
        self.refiner.stats.refinements += 1;
        let shortest = match self.refiner.heuristics.has(Heuristic::Shortest) {
            true => self.refiner.shortest(&mut self.graph.bench, &blocks)?,
            false => None,
        };
        if let Some((path, conflict)) = shortest
            && let Refined::Taken(()) = self.split(&nodes, &path, &conflict, observer)?
        {
            return Ok(None);
        }
        let labels: Vec<TermId> = match self.refiner.leaves_out_known() {
            true => vec![self.graph.bench.terms.tru(); nodes.len()],
            false => nodes.iter().map(|n| self.graph.label(*n)).collect(),
        };
        match self.split_path(&nodes, blocks, &labels, observer)? {
            Refined::Taken(()) => Ok(None),
            Refined::Stuck(_) if self.refiner.tries_again() => self.refine(path, observer),
            Refined::Stuck(why) => Err(Reason::Refinement(why)),
        }
    }

    /// Splits the nodes of an infeasible path by what the first attempt says that says something new.
    fn split_path(
        &mut self,
        nodes: &[NodeId],
        blocks: Vec<BlockId>,
        labels: &[TermId],
        observer: &mut dyn Observer,
    ) -> Result<Refined<()>, Reason> {
        let examined = self.refiner.examine(&mut self.graph.bench, blocks, labels, labels)?;
        let Examined::Infeasible(path, conflict) = examined else {
            return Err(Reason::Internal("labels make a path feasible".into()));
        };
        self.split(nodes, &path, &conflict, observer)
    }

    /// Splits the nodes of a path by what explains a conflict on it.
    fn split(
        &mut self,
        nodes: &[NodeId],
        path: &Path,
        conflict: &Conflict,
        observer: &mut dyn Observer,
    ) -> Result<Refined<()>, Reason> {
        let Engine { graph, refiner, .. } = self;
        refiner.explain(path, conflict, &PLAN, &[], observer, |found| {
            let splits = graph.counters.splits;
            // A node that the path visits twice is split by both interpolants.
            let mut parts: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
            for Explained { cut, formula, .. } in found {
                let node = nodes[cut + 1];
                let parts = parts.entry(node).or_insert_with(|| vec![node]);
                for part in parts.clone() {
                    parts.extend(graph.split(part, *formula)?);
                }
            }
            Ok((graph.counters.splits > splits).then_some(()))
        })
    }
}

/// The abstraction: nodes with labels, edges with blocks.
struct Graph<'t> {
    bench: Workbench<'t>,
    blocks: FxHashMap<BlockId, Asked>,
    sessions: Sessions,
    /// Answers questions about labels.
    labels: Plain,
    nodes: IndexVec<NodeId, Node>,
    edges: IndexVec<EdgeId, Edge>,
    start: NodeId,
    error: NodeId,
    /// Labels of nodes that were reached but do not lead to the error.
    proved: FxHashMap<LocId, Vec<TermId>>,
    counters: Counters,
}

impl<'t> Graph<'t> {
    /// One node per location, one edge per block.
    fn new(bench: Workbench<'t>) -> Result<Self, Reason> {
        let mut nodes = IndexVec::new();
        let mut node = |loc| nodes.push(Node::new(loc, Vec::new()));
        let (start, error) = (node(bench.entry()), node(bench.program().error));
        let mut graph = Graph {
            blocks: FxHashMap::default(),
            sessions: Sessions::new(&bench),
            labels: Plain::new(&bench.smt),
            nodes,
            edges: IndexVec::new(),
            start,
            error,
            proved: FxHashMap::default(),
            counters: Counters::default(),
            bench,
        };
        let mut known: FxHashMap<LocId, NodeId> = FxHashMap::default();
        known.extend([start, error].map(|n| (graph.nodes[n].loc, n)));
        let blocks = std::sync::Arc::clone(&graph.bench.graph);
        let mut open = vec![start];
        while let Some(from) = open.pop() {
            for &block in blocks.leaving(graph.nodes[from].loc) {
                let loc = blocks.block(block).to;
                let to = *known.entry(loc).or_insert_with(|| {
                    let new = graph.nodes.push(Node::new(loc, Vec::new()));
                    open.push(new);
                    new
                });
                graph.add_edge(Edge { from, to, block, example: None, due: true, removed: false });
                let formula = graph.bench.formula(block)?;
                let (cores, examples, before) = (Vec::new(), VecDeque::new(), FxHashMap::default());
                graph.blocks.insert(block, Asked { formula, cores, examples, before });
            }
        }
        Ok(graph)
    }

    fn alive(&self) -> impl Iterator<Item = NodeId> {
        self.nodes.iter_enumerated().filter(|(_, n)| !n.removed).map(|(id, _)| id)
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

    /// A shortest path each edge of which some state takes. On the way edges go that no state takes, and the nodes that then lie on no way from the start to the error.
    fn next_path(&mut self) -> Result<Option<Vec<EdgeId>>, Reason> {
        let start = Timer::start();
        let found = loop {
            let Some(path) = self.shortest_path() else { break None };
            let mut complete = true;
            for edge in path.iter().filter(|e| self.edges[**e].due).copied().collect::<Vec<_>>() {
                if self.is_feasible(edge)? {
                    self.edges[edge].due = false;
                } else {
                    self.remove_edge(edge);
                    complete = false;
                }
            }
            if complete {
                break Some(path);
            }
        };
        self.slice();
        self.counters.time += start.elapsed();
        Ok(found)
    }

    /// Removes the nodes that lie on no way from the start to the error.
    fn slice(&mut self) {
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
        self.bench.terms.and(self.nodes[node].label.iter().copied())
    }

    /// Whether some state takes the edge, from the label of its source to that of its target.
    fn is_feasible(&mut self, id: EdgeId) -> Result<bool, Reason> {
        let Edge { from, to, block, .. } = self.edges[id];
        let (terms, slots) = (Rc::clone(&self.bench.terms), Rc::clone(&self.bench.slots));
        self.counters.edge_checks += 1;
        let (source, target) = (&self.nodes[from].label, &self.nodes[to].label);
        let asked = self.blocks.get_mut(&block).expect("every edge has a block");
        let mut assumed: FxHashSet<TermId> = source.iter().copied().collect();
        for &conjunct in target {
            let formula = &asked.formula;
            let before = || formula.before(&terms, &slots, conjunct);
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
        let domains = &self.bench.domains;
        // Types bound only what was asked about when an example was found: others may have any value in it.
        let fits = |e: &&Rc<Example>| {
            all_hold(&terms, source, &e.before)
                && all_hold(&terms, target, &e.after)
                && assumed.iter().all(|f| all_hold(&terms, &domains.ranges(&terms, &slots, *f), &e.before))
        };
        let known = self.edges[id].example.iter().chain(&asked.examples).find(fits).cloned();
        self.edges[id].example = known;
        if self.edges[id].example.is_some() {
            self.counters.by_example += 1;
            return Ok(true);
        }
        let mut assumed: Vec<TermId> = assumed.into_iter().collect();
        assumed.sort_unstable();
        let session = self.sessions.get(block, &asked.formula, &assumed);
        session.set_work_limit(EDGE_WORK);
        match session.check_assuming(&assumed) {
            Status::Unsat => {
                asked.cores.push(session.core());
                Ok(false)
            }
            Status::Sat => {
                if let Some(before) = session.model() {
                    let after = state_after(&terms, &slots, &asked.formula, &before);
                    let example = Rc::new(Example { before, after });
                    asked.examples.truncate(EXAMPLES - 1);
                    asked.examples.push_front(Rc::clone(&example));
                    self.edges[id].example = Some(example);
                }
                Ok(true)
            }
            // Not known to be infeasible: it stays. A path over it that is no execution is refined as any other; if nothing new comes of that, it
            // ends the search.
            Status::Unknown(why) if why.gave_up() => {
                self.counters.undecided += 1;
                Ok(true)
            }
            Status::Unknown(why) => Err(why.into()),
        }
    }

    /// Splits a node unless its label decides the formula; the new half. The edges of both halves are due.
    fn split(&mut self, id: NodeId, formula: TermId) -> Result<Option<NodeId>, Reason> {
        let start = Timer::start();
        let new = self.try_split(id, formula);
        self.counters.time += start.elapsed();
        new
    }

    fn try_split(&mut self, id: NodeId, formula: TermId) -> Result<Option<NodeId>, Reason> {
        let terms = Rc::clone(&self.bench.terms);
        let negation = terms.not(formula);
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
        extend(&terms, &mut label, negation);
        extend(&terms, &mut self.nodes[id].label, formula);
        let other = self.nodes.push(Node::new(loc, label));
        let both = |end| if end == id { [Some(id), Some(other)] } else { [Some(end), None] };
        let Node { entering, leaving, .. } = &self.nodes[id];
        let mut edges = [entering.as_slice(), leaving.as_slice()].concat();
        edges.sort_unstable();
        edges.dedup();
        for edge in edges {
            self.edges[edge].due = true;
            let old = self.edges[edge].clone();
            for from in both(old.from).into_iter().flatten() {
                for to in both(old.to).into_iter().flatten() {
                    if (from, to) != (old.from, old.to) {
                        self.add_edge(Edge { from, to, ..old.clone() });
                    }
                }
            }
        }
        Ok(Some(other))
    }

    /// Whether no state of a node satisfies a formula.
    fn excludes(&mut self, node: NodeId, formula: TermId) -> Result<bool, Reason> {
        let terms = &self.bench.terms;
        if terms.is_true(formula) || terms.is_false(formula) {
            return Ok(terms.is_false(formula));
        }
        let mut assumed = self.nodes[node].label.clone();
        assumed.extend(terms.conjuncts(formula).iter());
        if contradictory(terms, &assumed.iter().copied().collect()) {
            return Ok(true);
        }
        for i in 0..assumed.len() {
            assumed.extend(&*self.bench.domains.ranges(terms, &self.bench.slots, assumed[i]));
        }
        match self.labels.check(&assumed, EDGE_WORK) {
            Status::Unsat => Ok(true),
            Status::Unknown(why) if !why.gave_up() => Err(why.into()),
            Status::Sat | Status::Unknown(_) => Ok(false),
        }
    }
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
fn state_after(terms: &Terms, slots: &Slots, formula: &Formula, before: &Model) -> Model {
    let mut after = before.clone();
    let mut values = Evaluator::new(terms, before);
    for (slot, term) in &formula.changed {
        let symbol = terms.as_symbol(slots.symbols[*slot as usize]).expect("a symbol");
        after.set(symbol, values.eval(*term));
    }
    after
}
