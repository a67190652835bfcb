//! The abstract reachability tree (LBE, II.C), and what is still to be done in it.
//!
//! Nodes carry a location and a label, and know the block through which their parent leads to them. Removed nodes keep their number
//! and are no longer part of the tree.

use clap::ValueEnum;
use craig_cfa::graph::Order;
use craig_cfa::{BlockId, LocId};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

index_vec::define_index_type! { pub struct NodeId = u32; }

/// Which node goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum SearchOrder {
    Bfs,
    #[default]
    Dfs,
    /// The first in the reverse post-order of the program: what lies before a loop's end before what lies behind it.
    Topological,
    /// As `dfs`, of equals the one whose block has the largest weight ([`crate::weights`]).
    Weights,
}

impl SearchOrder {
    /// The smallest goes first.
    fn priority<L>(self, node: &Node<L>, order: &Order) -> i64 {
        match self {
            SearchOrder::Bfs => i64::from(node.depth),
            SearchOrder::Dfs | SearchOrder::Weights => -i64::from(node.depth),
            SearchOrder::Topological => order.position[node.loc].map_or(i64::MAX, i64::from),
        }
    }
}

#[derive(Debug)]
pub struct Node<L> {
    pub loc: LocId,
    /// `None` for the root.
    pub parent: Option<(NodeId, BlockId)>,
    pub depth: u32,
    pub label: L,
    pub children: Vec<NodeId>,
    removed: bool,
}

#[derive(Debug)]
pub struct Art<L> {
    nodes: IndexVec<NodeId, Node<L>>,
    at: FxHashMap<LocId, Vec<NodeId>>,
    alive: usize,
}

impl<L> Default for Art<L> {
    fn default() -> Self {
        Art { nodes: IndexVec::new(), at: FxHashMap::default(), alive: 0 }
    }
}

impl<L> Art<L> {
    pub fn add(&mut self, loc: LocId, parent: Option<(NodeId, BlockId)>, label: L) -> NodeId {
        let depth = parent.map_or(0, |(p, _)| self.nodes[p].depth + 1);
        let node = Node { loc, parent, depth, label, children: Vec::new(), removed: false };
        let id = self.nodes.push(node);
        if let Some((parent, _)) = parent {
            self.nodes[parent].children.push(id);
        }
        self.at.entry(loc).or_default().push(id);
        self.alive += 1;
        id
    }

    pub fn node(&self, id: NodeId) -> &Node<L> {
        &self.nodes[id]
    }

    pub fn label_mut(&mut self, id: NodeId) -> &mut L {
        &mut self.nodes[id].label
    }

    /// Whether the node is still part of the tree.
    pub fn contains(&self, id: NodeId) -> bool {
        !self.nodes[id].removed
    }

    /// Nodes in the tree.
    pub fn len(&self) -> usize {
        self.alive
    }

    pub fn is_empty(&self) -> bool {
        self.alive == 0
    }

    /// The nodes of the tree at a location.
    pub fn at(&self, loc: LocId) -> &[NodeId] {
        self.at.get(&loc).map_or(&[], Vec::as_slice)
    }

    /// All nodes of the tree.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node<L>)> {
        self.nodes.iter_enumerated().filter(|(_, n)| !n.removed)
    }

    /// The blocks along a path of nodes.
    pub fn blocks(&self, path: &[NodeId]) -> Vec<BlockId> {
        path[1..].iter().filter_map(|n| self.nodes[*n].parent).map(|(_, block)| block).collect()
    }

    /// From the root to the node.
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path = vec![node];
        let mut at = node;
        while let Some((parent, _)) = self.nodes[at].parent {
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    }

    /// Removes a node and all below it; returns them.
    pub fn remove_subtree(&mut self, top: NodeId) -> Vec<NodeId> {
        if let Some((parent, _)) = self.nodes[top].parent {
            self.nodes[parent].children.retain(|c| *c != top);
        }
        let mut removed = vec![top];
        let mut next = 0;
        while let Some(&node) = removed.get(next) {
            next += 1;
            self.nodes[node].removed = true;
            removed.append(&mut std::mem::take(&mut self.nodes[node].children));
        }
        for node in &removed {
            let loc = self.nodes[*node].loc;
            if let Some(here) = self.at.get_mut(&loc) {
                here.retain(|n| n != node);
            }
        }
        self.alive -= removed.len();
        removed
    }
}

/// Things to do at nodes. What leads to the error goes first, then the order of the search decides, then who came first.
#[derive(Debug)]
pub struct Worklist<T> {
    order: SearchOrder,
    heap: BinaryHeap<Reverse<Entry<T>>>,
    number: u64,
}

#[derive(Debug)]
struct Entry<T> {
    key: (Reverse<bool>, i64, u64),
    item: T,
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl<T> Worklist<T> {
    pub fn new(order: SearchOrder) -> Self {
        Worklist { order, heap: BinaryHeap::new(), number: 0 }
    }

    /// Something to do at a node; `to_error` if it leads to the error.
    pub fn push<L>(&mut self, node: &Node<L>, order: &Order, to_error: bool, item: T) {
        self.number += 1;
        let key = (Reverse(to_error), self.order.priority(node, order), self.number);
        self.heap.push(Reverse(Entry { key, item }));
    }

    pub fn pop(&mut self) -> Option<T> {
        self.heap.pop().map(|Reverse(entry)| entry.item)
    }

    /// Of those that the order of the search has on one level the one with the highest rank; ranks may have changed since they came.
    pub fn pop_highest<R: Ord>(&mut self, rank: impl Fn(&T) -> R) -> Option<T> {
        let Reverse(first) = self.heap.pop()?;
        let level = (first.key.0, first.key.1);
        let mut level_mates = vec![first];
        while let Some(Reverse(next)) = self.heap.peek()
            && (next.key.0, next.key.1) == level
            && let Some(Reverse(next)) = self.heap.pop()
        {
            level_mates.push(next);
        }
        // The last of the highest ones, counted from the end: who came first.
        level_mates.reverse();
        let highest = (0..level_mates.len()).max_by_key(|i| rank(&level_mates[*i].item))?;
        let chosen = level_mates.swap_remove(highest);
        self.heap.extend(level_mates.into_iter().map(Reverse));
        Some(chosen.item)
    }
}
