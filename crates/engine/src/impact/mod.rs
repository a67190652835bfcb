//! Lazy abstraction with interpolants (IMPACT), the rival in SLICE with and without large blocks.
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
//! Deviations from IMPACT:
//! - a leaf that no run can reach from its parent's label is removed without a refinement;
//! - with [`crate::explain::Heuristics`]: refinement looks at a short part of a path that contradicts itself and the label before it; interpolants are first
//!   sought among the formulas that are known at the location already, because that is what makes the labels of a loop converge; if there are none, stronger and weaker ones are tried;
//!   relations guessed from bounds that count on in step are added to every label that they follow for;
//! - what leaves a loop is expanded before what stays in it;
//! - blocks may be single, large or adjustable.
//!
//! | module | holds |
//! |---|---|
//! | `unwinding` | the tree and what covers what |
//! | `entail` | implications between labels |

mod entail;
mod unwinding;

use crate::arg::{Node, NodeId, SearchOrder, Worklist};
use crate::certificate;
use crate::explain::inductive::Inductive;
use crate::explain::{Explained, Plan, Provenance, Refined, Rung};
use crate::options::{ForcedCovering, RefinementOptions};
use crate::path::Path;
use crate::refine::{Examined, Parts, Refiner};
use crate::run::{Control, Found, Observer, Search, Stats};
use crate::task::Task;
use crate::weights::Weights;
use crate::workbench::Workbench;
use clap::Args;
use craig_base::Timer;
use craig_cfa::{BlockId, LocId};
use craig_encode::Arith;
use craig_logic::TermId;
use craig_verdict::{Counterexample, Outcome, Reason};
use entail::Entailment;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;
use unwinding::{Label, Unwinding};

/// How interpolants of a path are found; later ones when the earlier ones failed.
const PLAN: Plan = Plan {
    ladder: &[Rung::Default, Rung::Strong, Rung::Weak],
    all_values: false,
    candidates: true,
    weaken: true,
};
/// The same for forced covering.
const FORCING: Plan = Plan { ladder: &[Rung::Default], ..PLAN };
/// So many older nodes, the newest first, are tried for a forced covering: each may cost an interpolation. Not tuned.
const FORCED: usize = 4;
/// A path from the last common ancestor with more blocks is not worth it: nodes of two branches that unwind one loop then go on to be covered by each other, each time with one round more and with what counts on.
const LONGEST: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct Options {
    #[command(flatten)]
    pub refinement: RefinementOptions,

    /// Which abstract state goes first
    #[arg(long, value_enum, value_name = "ORDER", default_value_t)]
    pub order: SearchOrder,

    /// Whether it is tried to make leaves covered before they are expanded
    #[arg(long, value_enum, value_name = "WHETHER", default_value_t)]
    pub forced_covering: ForcedCovering,
}

pub fn run(task: &Task, arith: Arith, options: &Options, control: &mut Control<'_>) -> Found {
    let Parts { bench, refiner } = Parts::new(task, arith, &options.refinement, control.budget)?;
    control.run(Engine {
        entailment: Entailment::new(&bench),
        guesses: FxHashMap::default(),
        inductive: Inductive::new(&bench, refiner.heuristics, Rc::clone(&refiner.discrete)),
        refiner,
        tree: Unwinding::default(),
        open: Worklist::new(options.order),
        weights: Weights::by(options.order, &bench),
        force: options.forced_covering == ForcedCovering::On,
        forced_covers: 0,
        covering: Duration::ZERO,
        nodes_made: 0,
        bench,
    })
}

struct Engine<'t> {
    bench: Workbench<'t>,
    refiner: Refiner,
    entailment: Entailment,
    /// Relations that are worth asking for, by location.
    guesses: FxHashMap<LocId, Vec<TermId>>,
    inductive: Inductive,
    tree: Unwinding,
    /// Leaves to look at.
    open: Worklist<NodeId>,
    weights: Weights,
    force: bool,
    forced_covers: u64,
    /// Time to find out whether nodes need to be followed, without what refinement counts.
    covering: Duration,
    nodes_made: u64,
}

impl Search for Engine<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        self.add(self.bench.entry(), None);
        while let Some(node) = self.next() {
            self.bench.budget.check_memory()?;
            if !self.tree.is_open(node) || self.tree.label(node).expanded {
                continue;
            }
            if self.is_settled(node, observer)? {
                continue;
            }
            if self.tree.art.node(node).loc == self.bench.program().error {
                self.progress(observer);
                if let Some(found) = self.refine(node, observer)? {
                    return Ok(Outcome::Unsafe(found));
                }
            } else {
                self.expand(node);
            }
        }
        // At each loop head, the labels of all open nodes.
        certificate::at_heads(&self.bench, |loc| {
            let open = self.tree.art.at(loc).iter().filter(|n| self.tree.is_open(**n));
            Ok(self.bench.terms.or(open.map(|n| self.tree.label(*n).formula)))
        })
        .map(Outcome::Safe)
    }

    fn report(&self, stats: &mut Stats) {
        stats.set("art_nodes", self.tree.art.len() as f64);
        stats.set("splits", self.nodes_made as f64);
        stats.set("covered", self.tree.covered() as f64);
        stats.set("forced_covers", self.forced_covers as f64);
        stats.time("covering_s", self.covering);
        self.bench.report(stats);
        self.refiner.report(stats);
    }
}

impl Engine<'_> {
    /// Whether a node need not be followed: no run comes there, or what follows is followed elsewhere. One at the error is not covered.
    fn is_settled(&mut self, node: NodeId, observer: &mut dyn Observer) -> Result<bool, Reason> {
        let (timer, before) = (Timer::start(), self.refiner.stats.time());
        self.push(node)?;
        let settled = if self.is_unreachable(node)? {
            self.remove(node);
            true
        } else {
            self.tree.art.node(node).loc != self.bench.program().error
                && (self.close(node)? || self.force(node, observer)?)
        };
        self.covering += timer.elapsed().saturating_sub(self.refiner.stats.time() - before);
        Ok(settled)
    }

    fn next(&mut self) -> Option<NodeId> {
        let art = &self.tree.art;
        self.weights.next(&mut self.open, |node| art.node(*node).parent.map(|(_, block)| block))
    }

    fn progress(&self, observer: &mut dyn Observer) {
        let (refinements, nodes) = (self.refiner.stats.refinements, self.tree.art.len());
        self.bench.progress(observer, format!("refinement {refinements}, {nodes} nodes"));
    }

    fn add(&mut self, loc: LocId, parent: Option<(NodeId, BlockId)>) {
        let conjuncts: BTreeSet<TermId> = self.inductive.at(loc).collect();
        let formula = self.bench.terms.and(conjuncts.iter().copied());
        let label = Label { conjuncts, formula, expanded: false };
        let node = self.tree.art.add(loc, parent, label);
        self.nodes_made += 1;
        self.want(&[node]);
    }

    fn want(&mut self, leaves: &[NodeId]) {
        for id in leaves {
            let node = self.tree.art.node(*id);
            let to_error = node.loc == self.bench.program().error;
            self.open.push(node, &self.bench.graph.order, to_error, *id);
        }
    }

    fn expand(&mut self, node: NodeId) {
        self.tree.art.label_mut(node).expanded = true;
        let loc = self.tree.art.node(node).loc;
        // The last first: what leaves a loop before what stays in it, so that the first labels come from the shortest paths.
        for i in (0..self.bench.graph.leaving(loc).len()).rev() {
            let block = self.bench.graph.leaving(loc)[i];
            self.add(self.bench.graph.block(block).to, Some((node, block)));
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
        let formula = self.bench.formula(block)?;
        if formula.constraints.is_empty() {
            return Ok(false);
        }
        let fls = self.bench.terms.fls();
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
        let terms = Rc::clone(&self.bench.terms);
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
        for guess in self.guesses.get(&loc).cloned().unwrap_or_default() {
            let formula = self.bench.formula(block)?;
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

    /// Checks the path to an error node: an execution; or labels that show that it is none.
    fn refine(
        &mut self,
        error: NodeId,
        observer: &mut dyn Observer,
    ) -> Result<Option<Counterexample>, Reason> {
        let nodes = self.tree.art.path(error);
        let known: Vec<TermId> = match self.refiner.leaves_out_known() {
            true => vec![self.bench.terms.tru(); nodes.len()],
            false => nodes.iter().map(|n| self.tree.label(*n).formula).collect(),
        };
        let blocks = self.tree.art.blocks(&nodes);
        let (path, conflict) = match self.refiner.examine(&mut self.bench, blocks, &[], &known)? {
            Examined::Execution(found) => return Ok(Some(found)),
            Examined::Infeasible(path, conflict) => (path, conflict),
        };
        self.refiner.stats.refinements += 1;
        let all = |found: &[Explained]| Ok(Some(found.to_vec()));
        let found = self.refiner.explain(&path, &conflict, &PLAN, &[], observer, all)?.or_stop()?;
        let guessed = self.guess(&path, &found);
        let news = self.learn(&nodes, &found)?;
        self.weights.update(&self.bench.graph, &path, &conflict, &[], |_| false);
        self.remove(nodes[conflict.parts.end() + 1]);
        for node in news {
            if self.tree.is_open(node) {
                self.close(node)?;
            }
        }
        if guessed {
            self.push_all()?;
        }
        self.add_inductive(&path, &found)?;
        Ok(None)
    }

    /// Adds what of all explanations is inductive by now to every label at its location. That keeps every implication between labels.
    fn add_inductive(&mut self, path: &Path, found: &[Explained]) -> Result<(), Reason> {
        let start = Timer::start();
        let added = self.grow_inductive(path, found);
        self.covering += start.elapsed();
        added
    }

    fn grow_inductive(&mut self, path: &Path, found: &[Explained]) -> Result<(), Reason> {
        for Explained { cut, formula, .. } in found {
            self.inductive.note(&self.bench, path.locs[cut + 1], *formula);
        }
        let terms = Rc::clone(&self.bench.terms);
        for loc in self.inductive.grow(&mut self.bench)? {
            let nodes = self.tree.art.at(loc).to_vec();
            for node in &nodes {
                let label = self.tree.art.label_mut(*node);
                label.conjuncts.extend(self.inductive.at(loc));
                label.formula = terms.and(label.conjuncts.iter().copied());
            }
            for node in nodes {
                if self.tree.is_open(node) {
                    self.close(node)?;
                }
            }
        }
        Ok(())
    }

    /// Takes down the guesses of an explanation; whether there were any.
    fn guess(&mut self, path: &Path, found: &[Explained]) -> bool {
        let guesses = found.iter().filter(|f| f.by == Provenance::Guess);
        let mut any = false;
        for Explained { cut, formula, .. } in guesses {
            any = true;
            let known = self.guesses.entry(path.locs[cut + 1]).or_default();
            // It is guessed what is worth asking, not whether it holds.
            known.extend([*formula, self.bench.terms.not(*formula)]);
        }
        any
    }

    /// Adds formulas to the labels on a path, and removes what gets the label `false`; the nodes for which that was news.
    fn learn(&mut self, nodes: &[NodeId], found: &[Explained]) -> Result<Vec<NodeId>, Reason> {
        let mut news = Vec::new();
        for Explained { cut, formula, .. } in found.iter().filter(|f| f.by != Provenance::Guess) {
            let node = nodes[cut + 1];
            if self.bench.terms.is_false(*formula) {
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
        let Some((parent, block)) = self.tree.art.node(leaf).parent.filter(|_| self.force) else {
            return Ok(false);
        };
        let formula = self.bench.formula(block)?;
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
        if !(3..=LONGEST + 1).contains(&nodes.len()) {
            return Ok(false);
        }
        let blocks = self.tree.art.blocks(&nodes);
        let not = self.bench.terms.not(self.tree.label(older).formula);
        let known = self.tree.label(ancestor).formula;
        let found = self.refiner.contradiction(&mut self.bench, blocks, known, not)?;
        let Some((path, conflict)) = found else { return Ok(false) };
        let ends = [older, ancestor].map(|n| &self.tree.label(n).conjuncts);
        let ends: Vec<TermId> = ends.into_iter().flatten().copied().collect();
        let all = |found: &[Explained]| Ok(Some(found.to_vec()));
        let found = self.refiner.explain(&path, &conflict, &FORCING, &ends, observer, all)?;
        let Refined::Taken(found) = found else { return Ok(false) };
        self.guess(&path, &found);
        self.learn(&nodes, &found)?;
        let behind = conflict.parts.end() + 1;
        if nodes[behind] != leaf {
            self.remove(nodes[behind]);
        }
        Ok(true)
    }
}
