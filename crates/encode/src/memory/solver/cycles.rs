//! Cycles: nodes that copy to each other are one; constant shifts around a cycle become walks.
//!
//! A cycle whose shifts cancel out (to a link of a list and back to what holds it) leads to nothing new and is left alone. The others
//! are found with potentials: every node gets a position such that the shifts of its component agree with it, as far as they can; a shift that disagrees
//! lies on a cycle that does not cancel out.

use super::{Extent, How, NodeId, Rule, Solver, Step};
use craig_cfa::graph::components;

/// Distances between nodes that shifts relate: a union-find with weights.
struct Potential {
    parent: Vec<u32>,
    /// From the node to its parent.
    weight: Vec<i64>,
}

impl Potential {
    fn new(n: usize) -> Self {
        Potential { parent: (0..n as u32).collect(), weight: vec![0; n] }
    }

    fn find(&mut self, node: u32) -> (u32, i64) {
        let mut path = Vec::new();
        let mut root = node;
        while self.parent[root as usize] != root {
            path.push(root);
            root = self.parent[root as usize];
        }
        let mut sum = 0i64;
        for &at in path.iter().rev() {
            sum = sum.wrapping_add(self.weight[at as usize]);
            (self.parent[at as usize], self.weight[at as usize]) = (root, sum);
        }
        (root, sum)
    }

    /// `to` lies `by` beyond `from`. False if that contradicts what is known.
    fn relate(&mut self, from: u32, to: u32, by: i64) -> bool {
        let ((a, x), (b, y)) = (self.find(from), self.find(to));
        if a == b {
            return y.wrapping_sub(x) == by;
        }
        // Weights are positions relative to the root.
        self.parent[b as usize] = a;
        self.weight[b as usize] = x.wrapping_add(by).wrapping_sub(y);
        true
    }
}

impl Solver {
    pub(super) fn break_cycles(&mut self) {
        let n = self.nodes.len();
        let mut flow = vec![Vec::new(); n];
        let mut all = vec![Vec::new(); n];
        for i in 0..n {
            let node = NodeId::from_usize(i);
            if self.parent[node] != node {
                continue;
            }
            let mut succ = std::mem::take(&mut self.nodes[node].succ);
            for to in &mut succ {
                *to = self.find(*to);
            }
            succ.sort_unstable();
            succ.dedup();
            succ.retain(|&to| to != node);
            flow[i].extend(succ.iter().map(|to| to.raw()));
            all[i].clone_from(&flow[i]);
            self.nodes[node].succ = succ;
            for r in 0..self.nodes[node].rules.len() {
                match self.nodes[node].rules[r] {
                    // Down to a link of a list, and from the link back up to what holds it: that leads nowhere new.
                    Rule::Derive(How::Shift { step: Step::Field, .. }, _) => {}
                    Rule::Derive(_, dst) => all[i].push(self.find(dst).raw()),
                    _ => {}
                }
            }
        }
        let of = components(&all).of;
        // Potentials: where the shifts around a cycle cancel out, nothing new comes of it.
        let mut potential = Potential::new(n);
        for (i, succ) in flow.iter().enumerate() {
            for &to in succ.iter().filter(|&&to| of[i] == of[to as usize]) {
                potential.relate(i as u32, to, 0);
            }
        }
        for i in 0..n {
            let node = NodeId::from_usize(i);
            for r in 0..self.nodes[node].rules.len() {
                let Rule::Derive(How::Shift { by, step }, dst) = self.nodes[node].rules[r] else { continue };
                let to = self.find(dst);
                if by == 0 || step == Step::Field || of[i] != of[to.index()] {
                    continue;
                }
                if potential.relate(i as u32, to.raw(), by) {
                    continue;
                }
                let how = match step {
                    Step::Integer => How::Blur,
                    _ => How::Walk { stride: by.abs(), extent: Extent::Pointer },
                };
                self.nodes[node].rules[r] = Rule::Derive(how, dst);
                self.nodes[node].done = 0;
                if !self.nodes[node].points.is_empty() {
                    self.enqueue(node);
                }
            }
        }
        for members in components(&flow).members {
            for &m in &members[1..] {
                self.merge(NodeId::from_raw(members[0]), NodeId::from_raw(m));
            }
        }
    }
}
