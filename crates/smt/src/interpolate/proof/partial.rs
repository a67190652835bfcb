//! Interpolants along a refutation.
//!
//! Every clause of the proof gets a formula for each cut (a partial interpolant): those of the given clauses follow from the side on which their part is, those of lemmas from
//! their proofs, and a step of resolution combines two. The empty clause's are interpolants. What the choices are is the labelling of variables that occur on both sides of a cut
//! (D'Silva, Kroening, Purandare, Weissenbacher 2010): to the right as McMillan does gives strong interpolants, to the left weak ones, to both as Pudlak
//! does what lies between. All cuts use one proof and one labelling, so the formulas of nested cuts are inductive; those of trees as well, but for weak ones
//! (Gurfinkel, Rollini, Sharygina 2013).

use super::clauses::{Clauses, Source};
use super::graph::{Edge, Graph};
use super::lemma::{Between, Lemma};
use super::sat::{ClauseId, Lit, Origin};
use crate::interpolate::{Strength, Tree};
use craig_logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The side of a cut on which a variable counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Both,
}

pub struct Partial<'a> {
    clauses: &'a Clauses<'a>,
    lemmas: &'a [Lemma],
    strength: Strength,
    /// By cut and part: whether the part is on the left.
    inside: Vec<Vec<bool>>,
    /// By variable: its side at each cut.
    sides: FxHashMap<usize, Vec<Side>>,
    graph: Graph,
}

/// The interpolants of all cuts but the root's.
pub fn interpolants(
    clauses: &Clauses<'_>,
    lemmas: &[Lemma],
    tree: &Tree,
    strength: Strength,
    empty: ClauseId,
) -> Vec<TermId> {
    let mut inside = vec![vec![false; tree.formulas.len()]; tree.root()];
    for cut in 0..tree.root() {
        inside[cut][cut] = true;
        for child in tree.children(cut) {
            let below = inside[child].clone();
            inside[cut].iter_mut().zip(below).for_each(|(here, below)| *here |= below);
        }
    }
    let mut partial =
        Partial { clauses, lemmas, strength, inside, sides: FxHashMap::default(), graph: Graph::new() };
    let found = partial.run(empty);
    let mut done = FxHashMap::default();
    found.into_iter().map(|edge| partial.graph.term(clauses.terms, edge, &mut done)).collect()
}

impl Partial<'_> {
    fn run(&mut self, empty: ClauseId) -> Vec<Edge> {
        let mut known: FxHashMap<ClauseId, Vec<Edge>> = FxHashMap::default();
        for clause in self.needed(empty) {
            let found = match self.clauses.sat.origin(clause) {
                Origin::Given => match self.clauses.source(clause).expect("given clauses have a source") {
                    Source::Part(part) => self.given(clause, part),
                    Source::Lemma(lemma) => self.lemma(lemma),
                },
                Origin::Derived(first, steps) => {
                    let mut edges = known[first].clone();
                    for (pivot, other) in steps {
                        self.resolve(&mut edges, *pivot, *other, &known[other]);
                    }
                    edges
                }
            };
            known.insert(clause, found);
        }
        known.remove(&empty).expect("computed last")
    }

    /// The clauses that the empty one was derived from, before those that were derived from them.
    fn needed(&self, empty: ClauseId) -> Vec<ClauseId> {
        let mut found: FxHashSet<ClauseId> = FxHashSet::default();
        let mut open = vec![empty];
        while let Some(clause) = open.pop() {
            if found.insert(clause)
                && let Origin::Derived(first, steps) = self.clauses.sat.origin(clause)
            {
                open.push(*first);
                open.extend(steps.iter().map(|(_, c)| *c));
            }
        }
        let mut found: Vec<ClauseId> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    fn sides(&mut self, variable: usize) -> &[Side] {
        self.sides.entry(variable).or_insert_with(|| {
            let parts = &self.clauses.variables[variable].parts;
            let side = |inside: &Vec<bool>| {
                let left = parts.iter().any(|p| inside[*p]);
                let right = parts.iter().any(|p| !inside[*p]);
                match (left, right, self.strength) {
                    (true, false, _) => Side::Left,
                    (false, _, _) => Side::Right,
                    (true, true, Strength::Strong) => Side::Right,
                    (true, true, Strength::Simple) => Side::Both,
                    (true, true, Strength::Weak) => Side::Left,
                }
            };
            self.inside.iter().map(side).collect()
        })
    }

    /// The literal as it occurs in interpolants of cuts that share it.
    fn leaf(&mut self, literal: Lit) -> Edge {
        let term = self.clauses.term(literal).expect("names of subformulas occur in one part");
        self.graph.leaf(self.clauses.terms, term)
    }

    /// A clause of a part: on the left what it says of variables that count on the right, on the right the opposite.
    fn given(&mut self, clause: ClauseId, part: usize) -> Vec<Edge> {
        let literals = self.clauses.sat.literals(clause).to_vec();
        let mut edges: Vec<Edge> =
            self.inside.iter().map(|inside| if inside[part] { Edge::FALSE } else { Edge::TRUE }).collect();
        for literal in literals {
            let sides = self.sides(literal.variable()).to_vec();
            for (cut, side) in sides.into_iter().enumerate() {
                match (self.inside[cut][part], side) {
                    (true, Side::Right) => {
                        let leaf = self.leaf(literal);
                        edges[cut] = self.graph.or(edges[cut], leaf);
                    }
                    (false, Side::Left) => {
                        let leaf = self.leaf(!literal);
                        edges[cut] = self.graph.and(edges[cut], leaf);
                    }
                    _ => {}
                }
            }
        }
        edges
    }

    fn lemma(&mut self, lemma: usize) -> Vec<Edge> {
        let lemma = &self.lemmas[lemma];
        let sides: Vec<Vec<Side>> =
            lemma.literals.iter().map(|(l, ..)| self.sides(l.variable()).to_vec()).collect();
        let weak = self.strength == Strength::Weak;
        let mut between = Between::new(self.clauses.terms, lemma);
        // From cut to cut most literals stay on their side.
        let mut last: Option<(Vec<bool>, Edge)> = None;
        let mut edges = Vec::new();
        for cut in 0..self.inside.len() {
            let count = |side| sides.iter().filter(|s| s[cut] == side).count();
            // Of what is on both sides all goes to the right, unless nothing else is there.
            let all_left = count(Side::Right) == 0 && count(Side::Left) > 0;
            // A weak interpolant is the negation of what lies between the sides seen from the right.
            let division: Vec<bool> =
                sides.iter().map(|s| (all_left || s[cut] == Side::Left) != weak).collect();
            let edge = match &last {
                Some((same, edge)) if *same == division => *edge,
                _ => {
                    let edge = self.graph.formula(self.clauses.terms, between.at(&division));
                    if weak { !edge } else { edge }
                }
            };
            last = Some((division, edge));
            edges.push(edge);
        }
        edges
    }

    /// Resolution on a variable with another clause.
    fn resolve(&mut self, edges: &mut [Edge], pivot: usize, other: ClauseId, others: &[Edge]) {
        let sides = self.sides(pivot).to_vec();
        let literals = self.clauses.sat.literals(other);
        let theirs = *literals.iter().find(|l| l.variable() == pivot).expect("the pivot occurs");
        for (cut, side) in sides.into_iter().enumerate() {
            let (mine, other) = (edges[cut], others[cut]);
            edges[cut] = if mine == other {
                mine
            } else {
                match side {
                    Side::Left => self.graph.or(mine, other),
                    Side::Right => self.graph.and(mine, other),
                    Side::Both => {
                        // The clause that has the literal says something only where it is false.
                        let leaf = self.leaf(theirs);
                        let (a, b) = (self.graph.or(leaf, other), self.graph.or(!leaf, mine));
                        self.graph.and(a, b)
                    }
                }
            };
        }
    }
}
