//! Formulas of atoms with conjunction and negation, shared: partial interpolants are made of each other many times over, and most of them are
//! never part of a result. Only what is turns into terms at the end.

use crate::interpolate::tidy;
use craig_logic::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// A formula: a node, or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge(u32);

impl Edge {
    pub const TRUE: Edge = Edge(0);
    pub const FALSE: Edge = Edge(1);

    fn node(self) -> usize {
        (self.0 / 2) as usize
    }

    fn is_negated(self) -> bool {
        !self.0.is_multiple_of(2)
    }
}

impl std::ops::Not for Edge {
    type Output = Edge;
    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    True,
    Atom(TermId),
    And(Edge, Edge),
}

#[derive(Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    known: FxHashMap<Node, Edge>,
}

impl Graph {
    pub fn new() -> Graph {
        Graph { nodes: vec![Node::True], known: FxHashMap::default() }
    }

    fn node(&mut self, node: Node) -> Edge {
        let nodes = &mut self.nodes;
        *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            Edge((nodes.len() as u32 - 1) * 2)
        })
    }

    /// A literal or another formula that is not looked into.
    pub fn leaf(&mut self, t: &Terms, formula: TermId) -> Edge {
        if t.is_true(formula) {
            return Edge::TRUE;
        }
        if t.is_false(formula) {
            return Edge::FALSE;
        }
        let (atom, positive) = t.atom(formula);
        let edge = self.node(Node::Atom(atom));
        if positive { edge } else { !edge }
    }

    /// A formula; of conjunctions the parts are told apart.
    pub fn formula(&mut self, t: &Terms, formula: TermId) -> Edge {
        let parts: Vec<Edge> = t.conjuncts(formula).iter().map(|part| self.leaf(t, *part)).collect();
        parts.into_iter().fold(Edge::TRUE, |all, part| self.and(all, part))
    }

    pub fn and(&mut self, a: Edge, b: Edge) -> Edge {
        let (a, b) = (a.min(b), a.max(b));
        if a == Edge::TRUE || a == b {
            return b;
        }
        if a == Edge::FALSE || a == !b {
            return Edge::FALSE;
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Node::And(l, r) = self.nodes[x.node()] {
                let negated = x.is_negated();
                for (l, r) in [(l, r), (r, l)] {
                    if !negated && y == l {
                        return x;
                    }
                    if !negated && y == !l {
                        return Edge::FALSE;
                    }
                    if negated && y == !l {
                        return y;
                    }
                    if negated && y == l {
                        return self.and(l, !r);
                    }
                }
            }
        }
        self.node(Node::And(a, b))
    }

    pub fn or(&mut self, a: Edge, b: Edge) -> Edge {
        !self.and(!a, !b)
    }

    /// The formula as a term. Conjunctions below each other are one.
    pub fn term(&self, t: &Terms, edge: Edge, done: &mut FxHashMap<usize, TermId>) -> TermId {
        let mut open = vec![edge.node()];
        while let Some(node) = open.last().copied() {
            if done.contains_key(&node) {
                open.pop();
                continue;
            }
            let parts = self.conjuncts(node);
            let before = open.len();
            if let Node::And(..) = self.nodes[node] {
                open.extend(parts.iter().map(|e| e.node()).filter(|n| !done.contains_key(n)));
            }
            if open.len() > before {
                continue;
            }
            let term = match self.nodes[node] {
                Node::True => t.tru(),
                Node::Atom(atom) => atom,
                Node::And(..) => {
                    let literal =
                        |e: &Edge| if e.is_negated() { t.not(done[&e.node()]) } else { done[&e.node()] };
                    let parts: Vec<TermId> = parts.iter().map(literal).collect();
                    tidy::conjunction(t, &parts)
                }
            };
            done.insert(node, term);
            open.pop();
        }
        let term = done[&edge.node()];
        if edge.is_negated() { t.not(term) } else { term }
    }

    /// What a conjunction is made of, through conjunctions that are not negated.
    fn conjuncts(&self, node: usize) -> Vec<Edge> {
        let mut found: Vec<Edge> = Vec::new();
        let mut seen: FxHashSet<Edge> = FxHashSet::default();
        let mut open = vec![Edge(node as u32 * 2)];
        while let Some(edge) = open.pop() {
            if !seen.insert(edge) {
                continue;
            }
            match self.nodes[edge.node()] {
                Node::And(a, b) if !edge.is_negated() => open.extend([b, a]),
                _ => found.push(edge),
            }
        }
        found.sort_unstable();
        found
    }
}
