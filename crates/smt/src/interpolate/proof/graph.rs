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

    /// The formula as a term in which only literals are negated. Conjunctions below each other are one, and so are disjunctions.
    pub fn term(&self, t: &Terms, edge: Edge, done: &mut FxHashMap<Edge, TermId>) -> TermId {
        let mut open = vec![edge];
        while let Some(edge) = open.last().copied() {
            if done.contains_key(&edge) {
                open.pop();
                continue;
            }
            let negated = edge.is_negated();
            let term = match self.nodes[edge.node()] {
                Node::True => t.bool(!negated),
                Node::Atom(atom) if negated => t.not(atom),
                Node::Atom(atom) => atom,
                Node::And(..) => {
                    let parts = self.conjuncts(edge.node()).into_iter().map(|e| if negated { !e } else { e });
                    let parts: Vec<Edge> = parts.collect();
                    let before = open.len();
                    open.extend(parts.iter().filter(|e| !done.contains_key(e)));
                    if open.len() > before {
                        continue;
                    }
                    let parts: Vec<TermId> = parts.iter().map(|e| done[e]).collect();
                    if negated { tidy::disjunction(t, &parts) } else { tidy::conjunction(t, &parts) }
                }
            };
            done.insert(edge, term);
            open.pop();
        }
        done[&edge]
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
