//! The unwinding: a tree of labelled nodes, some of which are covered by others.

use crate::arg::{Art, NodeId};
use craig_logic::TermId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What a node knows: a formula over the symbols of the state that holds whenever a run comes to it.
#[derive(Debug)]
pub struct Label {
    /// As conjuncts, because most implications between labels can be read off them.
    pub conjuncts: BTreeSet<TermId>,
    pub formula: TermId,
    /// Whether its successors are in the tree, except for those that no run comes to.
    pub expanded: bool,
}

/// A node is covered if all that can happen behind it can happen behind an older node at its location. What lies below a covered
/// node stays, in case that it does not remain so, but does not count: it is neither expanded nor covers others.
#[derive(Debug, Default)]
pub struct Unwinding {
    pub art: Art<Label>,
    covered_by: FxHashMap<NodeId, NodeId>,
    covers: FxHashMap<NodeId, Vec<NodeId>>,
}

impl Unwinding {
    pub fn label(&self, node: NodeId) -> &Label {
        &self.art.node(node).label
    }

    /// Whether the node counts: it is in the tree, and neither it nor a node above it is covered.
    pub fn is_open(&self, node: NodeId) -> bool {
        let mut at = Some(node);
        while let Some(node) = at {
            if self.covered_by.contains_key(&node) {
                return false;
            }
            at = self.art.node(node).parent.map(|(parent, _)| parent);
        }
        self.art.contains(node)
    }

    /// The open nodes at the node's location that are older than it, the newest first.
    pub fn older(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let here = self.art.at(self.art.node(node).loc).iter().rev().copied();
        here.filter(move |n| *n < node && self.is_open(*n))
    }

    /// The last node that lies above both.
    pub fn common_ancestor(&self, a: NodeId, b: NodeId) -> NodeId {
        let (mut a, mut b) = (a, b);
        while a != b {
            let lower = if self.art.node(a).depth >= self.art.node(b).depth { &mut a } else { &mut b };
            match self.art.node(*lower).parent {
                Some((parent, _)) => *lower = parent,
                None => break,
            }
        }
        a
    }

    /// The nodes that are covered by this one.
    pub fn covered_by(&self, node: NodeId) -> &[NodeId] {
        self.covers.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Covers a node. Nodes that were covered by what does not count any more no longer are; returns the leaves to look at again.
    pub fn cover(&mut self, node: NodeId, by: NodeId) -> Vec<NodeId> {
        let leaves = self.release(&self.subtree(node));
        self.covered_by.insert(node, by);
        self.covers.entry(by).or_default().push(node);
        leaves
    }

    /// Returns the leaves to look at again.
    pub fn uncover(&mut self, node: NodeId) -> Vec<NodeId> {
        if let Some(by) = self.covered_by.remove(&node)
            && let Some(covered) = self.covers.get_mut(&by)
        {
            covered.retain(|n| *n != node);
        }
        let mut leaves = self.subtree(node);
        leaves.retain(|n| !self.label(*n).expanded);
        leaves
    }

    /// Removes a node and all below it; returns the leaves to look at again.
    pub fn remove(&mut self, top: NodeId) -> Vec<NodeId> {
        let below = self.subtree(top);
        let leaves = self.release(&below);
        for node in &below {
            self.uncover(*node);
        }
        self.art.remove_subtree(top);
        leaves
    }

    /// How many nodes are covered, or lie below one that is.
    pub fn covered(&self) -> usize {
        self.art.iter().filter(|(id, _)| !self.is_open(*id)).count()
    }

    /// The nodes cover no others from now on; returns the leaves to look at again.
    fn release(&mut self, nodes: &[NodeId]) -> Vec<NodeId> {
        let mut leaves = Vec::new();
        for node in nodes {
            for covered in self.covers.remove(node).unwrap_or_default() {
                leaves.append(&mut self.uncover(covered));
            }
        }
        leaves
    }

    fn subtree(&self, top: NodeId) -> Vec<NodeId> {
        let mut found = vec![top];
        let mut next = 0;
        while let Some(&node) = found.get(next) {
            next += 1;
            found.extend(&self.art.node(node).children);
        }
        found
    }
}
