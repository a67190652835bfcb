//! Lazy predicate abstraction: the tree, its successors, its refinement (LBE II.B and II.C; BLAST's algorithm with single blocks and Cartesian
//! abstraction).
//!
//! Nodes of the tree are labelled with a BDD over predicates. The successor of a node through a block is the strongest Boolean
//! combination (or conjunction) of the predicates of the target's precision that the block allows from there
//! ([`crate::abstraction`]). When a path to the error is infeasible, the atoms of interpolants join the precisions
//! of the locations on it, and the tree is cut at the first node whose precision grew.
//!
//! Invariants:
//! - once nothing is left to do, every state that a run reaches at a location where blocks end satisfies the label of some node there, unless
//!   whoever searches has left out a successor for a reason of its own;
//! - a successor whose states all belong to nodes of its location already is covered and gets no node; in Boolean abstraction a node
//!   is labelled with the states that its location did not have before, so that no state is enumerated or expanded twice. When
//!   nodes are removed, what relied on their labels is computed again;
//! - a node's precision is that of its location when the node was made; it may have grown since (lazy abstraction).
//!
//! Deviations from LBE:
//! - a node is covered by all others at its location together, as in BLAST, not by one of them (the paper's definition of covering has the
//!   implication the wrong way round besides);
//! - Boolean abstraction keeps negative literals; the error is not abstracted;
//! - blocks may be adjustable ([`craig_cfa::blocks`]), which is the default: fewer abstractions than with large ones;
//! - with [`crate::explain::Heuristics`]: refinement looks at a short part of a path before the error that contradicts itself and what the tree knows
//!   before it; interpolants explain it, then stronger, weaker ones, at last atoms of the path; all values of a discrete variable ([`crate::discrete`]) become predicates when explanations mention it at a location a second time; so do
//!   relations guessed from bounds that count on in step.
//!
//! Tried and taken back: all values of the discrete variables that a refutation speaks of, before interpolants, where parts are not short. It came from a time when interpolants of such parts took seconds; from refutations
//! they cost no more, and say less (`lbe`: a quarter more time, three tasks fewer in 3 s).

use crate::abstraction::{Abstraction, Post};
use crate::arg::{Art, NodeId, SearchOrder, Worklist};
use crate::certificate;
use crate::explain::{Explained, Plan, Provenance, Refined, Rung};
use crate::live::Live;
use crate::options::Abstraction as Kind;
use crate::path::Path;
use crate::precision::{Precision, PredicateId, Predicates, Scope};
use crate::refine::{Conflict, Examined, Parts, Refiner};
use crate::run::{Observer, Stats};
use crate::workbench::Workbench;
use craig_cfa::{BlockId, LocId, Program};
use craig_logic::TermId;
use craig_smt::bdd::{Bdd, BooleanFunction};
use craig_verdict::{Certificate, Reason};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// How paths are explained.
const PLAN: Plan = Plan {
    ladder: &[Rung::Default, Rung::Strong, Rung::Weak, Rung::PathAtoms],
    all_values: true,
    candidates: false,
    weaken: false,
};

/// How it is explained that the end of a path need not be followed: what takes more effort is not worth it.
const FORCING: Plan = Plan { ladder: &[Rung::Default], ..PLAN };

/// What a node of the tree knows.
pub struct Label {
    pub state: Bdd,
    precision: Rc<[PredicateId]>,
    /// The state is only what no other node at the location had when this one was made.
    rest: bool,
}

/// What became of a successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Successor {
    /// No state of the source passes the block.
    Infeasible,
    /// All its states belong to nodes of its location.
    Covered,
    Node(NodeId),
}

/// An abstract reachability tree, and what is still to be computed in it.
pub struct Tree<'t> {
    pub bench: Workbench<'t>,
    pub refiner: Refiner,
    predicates: Predicates,
    precision: Precision,
    abstraction: Abstraction,
    pub art: Art<Label>,
    /// Successors to be computed.
    pub open: Worklist<(NodeId, BlockId)>,
    /// All labels of nodes at a location together.
    reached: FxHashMap<LocId, Bdd>,
    /// Successors whose states all belong to nodes of their location: the parent and the block that leads to it.
    covered: FxHashMap<LocId, Vec<(NodeId, BlockId)>>,
    nodes_made: u64,
}

impl std::fmt::Debug for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Label").field("precision", &self.precision).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Tree<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tree").field("nodes", &self.art.len()).finish_non_exhaustive()
    }
}

impl<'t> Tree<'t> {
    /// A tree with nothing but its root.
    pub fn new(
        Parts { bench, refiner }: Parts<'t>,
        kind: Kind,
        scope: Scope,
        order: SearchOrder,
    ) -> Result<Self, Reason> {
        let mut tree = Tree {
            predicates: Predicates::default(),
            precision: Precision::new(scope),
            abstraction: Abstraction::new(&bench, kind),
            refiner,
            art: Art::default(),
            open: Worklist::new(order),
            reached: FxHashMap::default(),
            covered: FxHashMap::default(),
            nodes_made: 0,
            bench,
        };
        let entry = tree.bench.entry();
        let state = tree.abstraction.bdds.constant(true);
        let precision = tree.precision.at(tree.program(), entry);
        tree.add_node(entry, None, Label { state, precision, rest: false })?;
        Ok(tree)
    }

    pub fn program(&self) -> &'t Program {
        self.bench.program()
    }

    pub fn progress(&self, observer: &mut dyn Observer) {
        let (refinements, predicates) = (self.refiner.stats.refinements, self.predicates.len());
        let nodes = self.art.len();
        self.bench
            .progress(observer, format!("refinement {refinements}, {predicates} predicates, {nodes} nodes"));
    }

    pub fn report(&self, stats: &mut Stats) {
        let covered = self.covered.values().flatten().filter(|(node, _)| self.art.contains(*node)).count();
        // Over all locations between blocks, those without predicates too: so the averages of Table III are 88 of 4 locations.
        let blocks = self.bench.graph.blocks();
        let locations: FxHashSet<LocId> = blocks.iter().flat_map(|block| [block.from, block.to]).collect();
        let sizes: Vec<usize> =
            locations.iter().map(|loc| self.precision.at(self.program(), *loc).len()).collect();
        stats.set("art_nodes", (self.art.len() + covered) as f64);
        stats.set("art_nodes_made", self.nodes_made as f64);
        stats.set("covered", covered as f64);
        stats.set("predicates_total", self.predicates.len() as f64);
        let average = sizes.iter().sum::<usize>() as f64 / locations.len().max(1) as f64;
        stats.set("predicates_avg", average);
        stats.set("predicates_max", sizes.iter().max().copied().unwrap_or(0) as f64);
        self.bench.report(stats);
        self.refiner.report(stats);
        self.abstraction.report(stats);
    }

    /// The labels of all nodes at each loop head, with what else holds there instead.
    pub fn certificate(&self, or_else: impl Fn(LocId) -> TermId) -> Result<Certificate, Reason> {
        certificate::at_heads(&self.bench, |loc| Ok(self.bench.terms.or([self.labels(loc)?, or_else(loc)])))
    }

    /// The label of a node as a formula over the symbols of the state.
    pub fn label(&mut self, node: NodeId) -> TermId {
        self.abstraction.formula_of(&self.art.node(node).label.state, &self.predicates)
    }

    /// The labels of all nodes at a location as one formula.
    pub fn labels(&self, loc: LocId) -> Result<TermId, Reason> {
        Ok(self.abstraction.formula(&self.union(loc, None)?, &self.predicates))
    }

    /// Whether the successors of the node are still wanted. One that has none yet may have been covered by newer nodes.
    pub fn is_due(&mut self, id: NodeId) -> Result<bool, Reason> {
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
        Ok(self.abstraction.bdds.implies(a, b)?)
    }

    fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Reason> {
        a.or(b).map_err(|e| self.abstraction.full(e))
    }

    /// The labels of all nodes at a location, without one of them.
    fn union(&self, loc: LocId, without: Option<NodeId>) -> Result<Bdd, Reason> {
        let mut all = self.abstraction.bdds.constant(false);
        for id in self.art.at(loc).iter().filter(|id| Some(**id) != without) {
            all = self.or(&all, &self.art.node(*id).label.state)?;
        }
        Ok(all)
    }

    /// Computes a successor.
    pub fn successor(&mut self, parent: NodeId, block: BlockId) -> Result<Successor, Reason> {
        let to = self.bench.graph.block(block).to;
        let formula = self.bench.formula(block)?;
        let precision = self.precision.at(self.program(), to);
        let from = &self.art.node(parent).label.state;
        let reached = self.reached.get(&to);
        let post = self.abstraction.post(block, &formula, from, &self.predicates, &precision, reached)?;
        match post {
            Post::Infeasible => Ok(Successor::Infeasible),
            Post::Covered => {
                self.covered.entry(to).or_default().push((parent, block));
                Ok(Successor::Covered)
            }
            Post::States { state, rest } => {
                let label = Label { state, precision, rest };
                self.add_node(to, Some((parent, block)), label).map(Successor::Node)
            }
        }
    }

    fn add_node(
        &mut self,
        loc: LocId,
        parent: Option<(NodeId, BlockId)>,
        label: Label,
    ) -> Result<NodeId, Reason> {
        self.nodes_made += 1;
        if loc == self.program().error {
            return Ok(self.art.add(loc, parent, label));
        }
        let reached = match self.reached.get(&loc) {
            Some(reached) => self.or(reached, &label.state)?,
            None => label.state.clone(),
        };
        self.reached.insert(loc, reached);
        let node = self.art.add(loc, parent, label);
        for i in 0..self.bench.graph.leaving(loc).len() {
            self.want(node, self.bench.graph.leaving(loc)[i]);
        }
        Ok(node)
    }

    fn want(&mut self, id: NodeId, block: BlockId) {
        let graph = &self.bench.graph;
        let to_error = graph.block(block).to == self.bench.program().error;
        self.open.push(self.art.node(id), &graph.order, to_error, (id, block));
    }

    /// Checks the path to an error node; the nodes on it. What the labels know counts, unless that led nowhere before.
    pub fn examine(&mut self, error: NodeId) -> Result<(Vec<NodeId>, Examined), Reason> {
        let nodes = self.art.path(error);
        let known: Vec<TermId> = match self.refiner.leaves_out_known() {
            true => vec![self.bench.terms.tru(); nodes.len()],
            false => nodes.iter().map(|n| self.label(*n)).collect(),
        };
        let blocks = self.art.blocks(&nodes);
        let examined = self.refiner.examine(&mut self.bench, blocks, &[], &known)?;
        Ok((nodes, examined))
    }

    /// Refines so that the path to an error node is gone and cuts the tree; what explains that it is none. `None` if another look at the path, without what
    /// the labels know, is worth a try.
    pub fn refine(
        &mut self,
        nodes: &[NodeId],
        path: &Path,
        conflict: &Conflict,
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<Explained>>, Reason> {
        self.refiner.stats.refinements += 1;
        match self.grow(nodes, path, conflict, observer)? {
            Refined::Taken((top, found)) => self.cut(top).map(|()| Some(found)),
            Refined::Stuck(_) if self.refiner.tries_again() => Ok(None),
            Refined::Stuck(why) => Err(Reason::Refinement(why)),
        }
    }

    /// Adds predicates that exclude the infeasible part of the path; the first node that they concern.
    pub fn grow(
        &mut self,
        nodes: &[NodeId],
        path: &Path,
        conflict: &Conflict,
        observer: &mut dyn Observer,
    ) -> Result<Refined<(NodeId, Vec<Explained>)>, Reason> {
        if self.precision.wants_live() {
            self.precision.set_live(Live::new(&mut self.bench)?);
        }
        let Tree { bench, predicates, precision, abstraction, refiner, art, .. } = self;
        let mut learner = Learner { bench, predicates, precision, abstraction, art };
        let add = |found: &[Explained]| Ok(learner.add(nodes, found).map(|top| (top, found.to_vec())));
        refiner.explain(path, conflict, &PLAN, &[], observer, add)
    }

    /// Takes in formulas for the nodes of a path to the error, and for other locations, and cuts the tree; whether they say something new of the path.
    pub fn take(
        &mut self,
        nodes: &[NodeId],
        found: &[Explained],
        elsewhere: &[(LocId, TermId)],
    ) -> Result<bool, Reason> {
        let Tree { bench, predicates, precision, abstraction, art, .. } = self;
        let mut learner = Learner { bench, predicates, precision, abstraction, art };
        let Some(top) = learner.add(nodes, found) else { return Ok(false) };
        for (loc, formula) in elsewhere {
            let wanted = learner.predicates_of(*formula);
            learner.precision.add(learner.bench.program(), *loc, learner.predicates, &wanted);
        }
        self.refiner.stats.refinements += 1;
        self.cut(top).map(|()| true)
    }

    /// Refines so that the labels along a path imply `goal` at its last node, which the path itself does, as forced covering does; whether the tree was cut for it.
    /// The path begins at some node with its label `known`.
    pub fn force(
        &mut self,
        nodes: &[NodeId],
        goal: TermId,
        observer: &mut dyn Observer,
    ) -> Result<bool, Reason> {
        let known = self.label(nodes[0]);
        let (blocks, not) = (self.art.blocks(nodes), self.bench.terms.not(goal));
        let Some((path, conflict)) = self.refiner.contradiction(&mut self.bench, blocks, known, not)? else {
            return Ok(false);
        };
        let Tree { bench, predicates, precision, abstraction, refiner, art, .. } = self;
        let mut learner = Learner { bench, predicates, precision, abstraction, art };
        let last = nodes.len() - 2;
        let add = |found: &[Explained]| {
            let end = Explained { cut: last, formula: goal, by: Provenance::PathAtom };
            let all: Vec<Explained> = found.iter().copied().chain([end]).collect();
            Ok(learner.add(nodes, &all))
        };
        match refiner.explain(&path, &conflict, &FORCING, &[], observer, add)? {
            Refined::Taken(top) => self.cut(top).map(|()| true),
            Refined::Stuck(_) => Ok(false),
        }
    }

    /// Removes a subtree and makes its top wanted again. So are successors that were covered with its help, or labelled with what
    /// the rest of their location did not have.
    pub fn cut(&mut self, top: NodeId) -> Result<(), Reason> {
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
}

/// Takes in the predicates of an explanation.
struct Learner<'a, 't> {
    bench: &'a Workbench<'t>,
    predicates: &'a mut Predicates,
    precision: &'a mut Precision,
    abstraction: &'a Abstraction,
    art: &'a Art<Label>,
}

impl Learner<'_, '_> {
    /// Adds the atoms of an explanation to the precisions of the nodes on a path; the first node that does not have them all.
    fn add(&mut self, nodes: &[NodeId], explained: &[Explained]) -> Option<NodeId> {
        let mut first: Option<usize> = None;
        for Explained { cut, formula, .. } in explained {
            let node = self.art.node(nodes[cut + 1]);
            let wanted = self.predicates_of(*formula);
            let missing = |p: &PredicateId| node.label.precision.binary_search(p).is_err();
            if wanted.iter().any(missing) {
                self.precision.add(self.bench.program(), node.loc, self.predicates, &wanted);
                first = Some(first.map_or(*cut, |first| first.min(*cut)));
            }
        }
        first.map(|cut| nodes[cut + 1])
    }

    /// The atoms of a formula as predicates.
    fn predicates_of(&mut self, formula: TermId) -> Vec<PredicateId> {
        let (bdds, terms, slots) = (&self.abstraction.bdds, &self.bench.terms, &self.bench.slots);
        let atoms = terms.atoms(&[formula]);
        atoms.iter().map(|a| self.predicates.add(terms, slots, bdds, *a).0).collect()
    }
}
