//! Lazy predicate abstraction on an abstract reachability tree (LBE; BLAST's algorithm with single blocks and Cartesian abstraction).
//!
//! Nodes of the tree are labelled with a BDD over predicates. The successor of a node through a block is the strongest Boolean
//! combination (or conjunction) of the predicates of the target's precision that the block allows from there
//! (`abstraction`). A path to the error is checked exactly; if it is infeasible, the atoms of interpolants join the precisions
//! of the locations on it, the tree is cut at the first node whose precision grew, and the search goes on.
//!
//! Invariants:
//! - once nothing is left to do, every state that a run reaches at a location where blocks end satisfies the label of some node there;
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
//!   before it; values of discrete variables explain parts that are not short, then come interpolants, then stronger, weaker ones, at last atoms of the
//!   path; all values of a discrete variable ([`crate::discrete`]) become predicates when explanations mention it at a location a second time; so do
//!   relations guessed from bounds that count on in step.
//!
//! | module | holds |
//! |---|---|
//! | `abstraction` | successors of abstract states |
//! | `touch` | what a block leaves alone of a state |

mod abstraction;
mod touch;

use crate::arg::{Art, NodeId, SearchOrder, Worklist};
use crate::certificate;
use crate::explain::{Explained, Plan, Refined, Rung};
use crate::live::Live;
use crate::options::RefinementOptions;
use crate::path::Path;
use crate::precision::{Precision, PredicateId, Predicates, Scope};
use crate::refine::{Conflict, Examined, Parts, Refiner};
use crate::run::{Control, Found, Observer, Search, Stats};
use crate::task::Task;
use crate::workbench::Workbench;
use abstraction::{Abstraction, Post};
use clap::Args;
use craig_cfa::{BlockId, LocId, Program};
use craig_encode::Arith;
use craig_logic::TermId;
use craig_smt::bdd::{Bdd, BooleanFunction};
use craig_verdict::{Counterexample, Outcome, Reason};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

pub use crate::options::Abstraction as Kind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct Options {
    #[command(flatten)]
    pub refinement: RefinementOptions,

    /// What abstract states are: conjunctions of predicates, all Boolean combinations, or the states of the program itself
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    pub abstraction: Kind,

    /// Where a predicate counts once it is found
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t)]
    pub precision: Scope,

    /// Which abstract state goes first
    #[arg(long, value_enum, value_name = "ORDER", default_value_t)]
    pub order: SearchOrder,
}

/// How paths are explained.
const PLAN: Plan = Plan {
    ladder: &[Rung::Values, Rung::Default, Rung::Strong, Rung::Weak, Rung::PathAtoms],
    all_values: true,
    candidates: false,
    weaken: false,
};

pub fn run(task: &Task, arith: Arith, options: &Options, control: &mut Control<'_>) -> Found {
    let parts = Parts::new(task, arith, &options.refinement, control.budget)?;
    control.run(Engine::new(parts, *options))
}

/// What a node of the tree knows.
struct Label {
    state: Bdd,
    precision: Rc<[PredicateId]>,
    /// The state is only what no other node at the location had when this one was made.
    rest: bool,
}

struct Engine<'t> {
    bench: Workbench<'t>,
    predicates: Predicates,
    precision: Precision,
    abstraction: Abstraction,
    refiner: Refiner,
    art: Art<Label>,
    /// Successors to be computed.
    open: Worklist<(NodeId, BlockId)>,
    /// All labels of nodes at a location together.
    reached: FxHashMap<LocId, Bdd>,
    /// Successors whose states all belong to nodes of their location: the parent and the block that leads to it.
    covered: FxHashMap<LocId, Vec<(NodeId, BlockId)>>,
    nodes_made: u64,
}

impl Search for Engine<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        let entry = self.bench.entry();
        let state = self.abstraction.bdds.constant(true);
        let precision = self.precision.at(self.program(), entry);
        self.add_node(entry, None, Label { state, precision, rest: false })?;
        while let Some((parent, block)) = self.open.pop() {
            self.bench.budget.check_memory()?;
            if !self.is_due(parent)? {
                continue;
            }
            let Some(node) = self.successor(parent, block)? else { continue };
            if self.art.node(node).loc == self.program().error {
                self.progress(observer);
                if let Some(found) = self.refine(node, observer)? {
                    return Ok(Outcome::Unsafe(found));
                }
            }
        }
        certificate::at_heads(&self.bench, |loc| {
            Ok(self.abstraction.formula(&self.union(loc, None)?, &self.predicates))
        })
        .map(Outcome::Safe)
    }

    fn report(&self, stats: &mut Stats) {
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
}

impl<'t> Engine<'t> {
    fn new(Parts { bench, refiner }: Parts<'t>, options: Options) -> Self {
        Engine {
            predicates: Predicates::default(),
            precision: Precision::new(options.precision),
            abstraction: Abstraction::new(&bench, options.abstraction),
            refiner,
            art: Art::default(),
            open: Worklist::new(options.order),
            reached: FxHashMap::default(),
            covered: FxHashMap::default(),
            nodes_made: 0,
            bench,
        }
    }

    fn program(&self) -> &'t Program {
        self.bench.program()
    }

    fn progress(&self, observer: &mut dyn Observer) {
        let (refinements, predicates) = (self.refiner.stats.refinements, self.predicates.len());
        let nodes = self.art.len();
        self.bench
            .progress(observer, format!("refinement {refinements}, {predicates} predicates, {nodes} nodes"));
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

    /// Computes a successor; `None` if it has no states that other nodes do not have.
    fn successor(&mut self, parent: NodeId, block: BlockId) -> Result<Option<NodeId>, Reason> {
        let to = self.bench.graph.block(block).to;
        let formula = self.bench.formula(block)?;
        let precision = self.precision.at(self.program(), to);
        let from = &self.art.node(parent).label.state;
        let reached = self.reached.get(&to);
        let post = self.abstraction.post(block, &formula, from, &self.predicates, &precision, reached)?;
        match post {
            Post::Infeasible => Ok(None),
            Post::Covered => {
                self.covered.entry(to).or_default().push((parent, block));
                Ok(None)
            }
            Post::States { state, rest } => {
                self.add_node(to, Some((parent, block)), Label { state, precision, rest }).map(Some)
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

    /// Checks the path to an error node: an execution; or refines and cuts the tree.
    fn refine(
        &mut self,
        error: NodeId,
        observer: &mut dyn Observer,
    ) -> Result<Option<Counterexample>, Reason> {
        let nodes = self.art.path(error);
        let label = |n: &NodeId| self.abstraction.formula(&self.art.node(*n).label.state, &self.predicates);
        let known: Vec<TermId> = match self.refiner.leaves_out_known() {
            true => vec![self.bench.terms.tru(); nodes.len()],
            false => nodes.iter().map(label).collect(),
        };
        let blocks = self.art.blocks(&nodes);
        let (path, conflict) = match self.refiner.examine(&mut self.bench, blocks, &[], &known)? {
            Examined::Execution(found) => return Ok(Some(found)),
            Examined::Infeasible(path, conflict) => (path, conflict),
        };
        self.refiner.stats.refinements += 1;
        match self.grow(&nodes, &path, &conflict, observer)? {
            Refined::Taken(top) => self.cut(top).map(|()| None),
            Refined::Stuck(_) if self.refiner.tries_again() => self.refine(error, observer),
            Refined::Stuck(why) => Err(Reason::Refinement(why)),
        }
    }

    /// Adds predicates that exclude the infeasible part of the path; the first node that they concern.
    fn grow(
        &mut self,
        nodes: &[NodeId],
        path: &Path,
        conflict: &Conflict,
        observer: &mut dyn Observer,
    ) -> Result<Refined<NodeId>, Reason> {
        if self.precision.wants_live() {
            self.precision.set_live(Live::new(&mut self.bench)?);
        }
        let Engine { bench, predicates, precision, abstraction, refiner, art, .. } = self;
        let mut learner = Learner { bench, predicates, precision, abstraction, art };
        refiner.explain(path, conflict, &PLAN, &[], observer, |found| Ok(learner.add(nodes, found)))
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
        let (bdds, terms, slots) = (&self.abstraction.bdds, &self.bench.terms, &self.bench.slots);
        let mut first: Option<usize> = None;
        for Explained { cut, formula, .. } in explained {
            let node = self.art.node(nodes[cut + 1]);
            let atoms = terms.atoms(&[*formula]);
            let wanted: Vec<PredicateId> =
                atoms.iter().map(|a| self.predicates.add(terms, slots, bdds, *a).0).collect();
            let missing = |p: &PredicateId| node.label.precision.binary_search(p).is_err();
            if wanted.iter().any(missing) {
                self.precision.add(self.bench.program(), node.loc, self.predicates, &wanted);
                first = Some(first.map_or(*cut, |first| first.min(*cut)));
            }
        }
        first.map(|cut| nodes[cut + 1])
    }
}
