//! Reads of arrays: what arithmetic takes as they are, held against the writes.
//!
//! Where arithmetic finds that the parts can hold together, a read may differ from what was written there, or from another read of the same element. The arrays of a
//! model form a graph: an equation joins two of them, a write joins them for all indices but its own. From the array of a read we follow what its index
//! passes (weakly equivalent arrays, Christ and Hoenicke 2015) to a write or a read of the same index with another value, and add to the parts on the way
//! the facts of arrays that say so. These are true whatever the parts say; the refutation uses them like clauses of the part, and interpolants have reads in them.
//!
//! A fact may only speak of what its part knows. So at every cut between a part and the next the index needs a name that both sides can say: that of the read, rewritten
//! by the equations of each part that it leaves, else that of the other end in the same way. Where there is none the way is left alone, and the layer may give
//! up. Two arrays that are not equal, functions, and arrays of other things than numbers are not looked at.

use super::clauses::{Array, Clauses};
use super::sat::Lit;
use super::theory::Theory;
use crate::interpolate::{Tree, Vocabulary};
use craig_logic::{Op, Rat, Sort, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Ways from reads to what contradicts them that are taken in one round.
const WAYS: usize = 8;
/// Facts before the layer gives up.
const FACTS: usize = 600;

#[derive(Default)]
pub struct Arrays {
    /// Facts that were added, with their parts.
    added: FxHashSet<(usize, TermId)>,
}

/// From one array to another that has the same element at the index.
#[derive(Clone)]
struct Step {
    to: TermId,
    parts: Vec<usize>,
    by: By,
}

#[derive(Clone, Copy)]
enum By {
    /// Both are equal.
    Equation(TermId),
    /// One comes from the other by a write at this index.
    Write(TermId),
}

/// A cut between two neighbouring parts.
struct Crossing {
    before: usize,
    cut: usize,
    behind: usize,
}

/// What lies between one step and the next, and the part of that.
struct Leg {
    crossings: Vec<Crossing>,
    part: usize,
}

/// Who says what an element is.
struct Target {
    /// At which index; none: at all of them.
    index: Option<TermId>,
    value: TermId,
    parts: Vec<usize>,
}

/// What is known of the literals of one round.
struct Round<'a, 'b> {
    clauses: &'a Clauses<'b>,
    theory: &'a Theory,
    tree: &'a Tree,
    shared: &'a [Vocabulary],
    /// By array: where to go from it.
    steps: FxHashMap<TermId, Vec<Step>>,
    /// By array: what says what its elements are.
    targets: FxHashMap<TermId, Vec<Target>>,
}

impl Arrays {
    /// Adds facts of arrays that the values of arithmetic contradict; whether there are any.
    pub fn examine(
        &mut self,
        clauses: &mut Clauses<'_>,
        theory: &Theory,
        literals: &[Lit],
        tree: &Tree,
        shared: &[Vocabulary],
    ) -> bool {
        let reads = reads(clauses, literals);
        if reads.is_empty() || self.added.len() >= FACTS {
            return false;
        }
        let round = Round::new(clauses, theory, literals, &reads, tree, shared);
        let mut found: Vec<(usize, TermId)> = Vec::new();
        let mut ways = 0;
        for read in &reads {
            let facts =
                round.contradiction(*read, |fact| !self.added.contains(fact) && !found.contains(fact));
            if !facts.is_empty() {
                found.extend(facts);
                ways += 1;
                if ways == WAYS {
                    break;
                }
            }
        }
        for (part, fact) in &found {
            clauses.assert(*fact, *part);
            self.added.insert((*part, *fact));
        }
        !found.is_empty()
    }
}

/// The reads of numbers that the literals speak of.
fn reads(clauses: &Clauses<'_>, literals: &[Lit]) -> Vec<TermId> {
    let t = clauses.terms;
    let mut found: Vec<TermId> = Vec::new();
    for literal in literals.iter().filter_map(|l| clauses.term(*l)) {
        let Some(literal) = t.linear_literal(literal) else { continue };
        let monomials = literal.linear.terms.iter().map(|(m, _)| *m);
        found.extend(monomials.filter(|m| t.op(*m) == Op::Select && t.sort(t.arg(*m, 1)) == Sort::Int));
    }
    found.sort_unstable();
    found.dedup();
    found
}

impl<'a, 'b> Round<'a, 'b> {
    fn new(
        clauses: &'a Clauses<'b>,
        theory: &'a Theory,
        literals: &[Lit],
        reads: &[TermId],
        tree: &'a Tree,
        shared: &'a [Vocabulary],
    ) -> Self {
        let t = clauses.terms;
        let mut steps: FxHashMap<TermId, Vec<Step>> = FxHashMap::default();
        let mut join = |a: TermId, b: TermId, parts: &[usize], by: By| {
            for (from, to) in [(a, b), (b, a)] {
                steps.entry(from).or_default().push(Step { to, parts: parts.to_vec(), by });
            }
        };
        let mut targets: FxHashMap<TermId, Vec<Target>> = FxHashMap::default();
        for literal in literals.iter().filter(|l| l.is_positive()) {
            let Some(atom) = clauses.term(*literal).filter(|a| t.op(*a) == Op::Eq) else { continue };
            let (a, b) = (t.arg(atom, 0), t.arg(atom, 1));
            if t.array_parts(t.sort(a)) == Some((Sort::Int, Sort::Int)) {
                join(a, b, &clauses.variables[literal.variable()].parts, By::Equation(atom));
            }
        }
        for (part, name, array) in &clauses.arrays {
            let (index, value) = match *array {
                Array::Write { base, index, value } => {
                    join(*name, base, &[*part], By::Write(index));
                    (Some(index), value)
                }
                Array::Same { value } => (None, value),
            };
            targets.entry(*name).or_default().push(Target { index, value, parts: vec![*part] });
        }
        for read in reads {
            let parts = clauses.parts_of(*read).to_vec();
            let target = Target { index: Some(t.arg(*read, 1)), value: *read, parts };
            targets.entry(t.arg(*read, 0)).or_default().push(target);
        }
        Round { clauses, theory, tree, shared, steps, targets }
    }

    fn value(&self, term: TermId) -> Rat {
        self.theory.value(self.clauses.terms, term)
    }

    /// Facts of arrays, with their parts, that the value of a read contradicts, some of which are new.
    fn contradiction(&self, read: TermId, is_new: impl Fn(&(usize, TermId)) -> bool) -> Vec<(usize, TermId)> {
        let t = self.clauses.terms;
        let (start, index) = (t.arg(read, 0), t.arg(read, 1));
        let (at, value) = (self.value(index), self.value(read));
        // How each array was come to: from which one, by which of its steps.
        let mut came: FxHashMap<TermId, Option<(TermId, usize)>> = FxHashMap::default();
        came.insert(start, None);
        let mut open = VecDeque::from([start]);
        while let Some(array) = open.pop_front() {
            for target in self.targets.get(&array).into_iter().flatten() {
                let elsewhere = target.index.is_some_and(|index| self.value(index) != at);
                if elsewhere || self.value(target.value) == value {
                    continue;
                }
                let mut way = Vec::new();
                let mut back = array;
                while let Some((from, step)) = came[&back] {
                    way.push(&self.steps[&from][step]);
                    back = from;
                }
                way.reverse();
                let facts = self.facts(read, &way, target);
                if facts.iter().any(&is_new) {
                    return facts;
                }
            }
            for (i, step) in self.steps.get(&array).into_iter().flatten().enumerate() {
                let passes = match step.by {
                    By::Equation(_) => true,
                    By::Write(index) => self.value(index) != at,
                };
                if passes && !came.contains_key(&step.to) {
                    came.insert(step.to, Some((array, i)));
                    open.push_back(step.to);
                }
            }
        }
        Vec::new()
    }

    /// The facts along a way; none if some cut has no index that both sides can name.
    fn facts(&self, read: TermId, way: &[&Step], target: &Target) -> Vec<(usize, TermId)> {
        let t = self.clauses.terms;
        let start = self.clauses.parts_of(read);
        let stops = || way.iter().map(|step| &step.parts[..]).chain([&target.parts[..]]);
        let mut part = self.nearest(start, stops().next().expect("the target's"));
        let mut legs: Vec<Leg> = Vec::new();
        for parts in stops() {
            let next = self.nearest(parts, &[part]);
            legs.push(Leg { crossings: self.crossings(part, next), part: next });
            part = next;
        }
        let crossings = || legs.iter().flat_map(|leg| &leg.crossings);
        let names = self.named(t.arg(read, 1), crossings().map(|c| (c.before, c.cut)));
        let names = names.or_else(|| {
            let mut names = self.named(target.index?, crossings().rev().map(|c| (c.behind, c.cut)))?;
            names.reverse();
            Some(names)
        });
        names.map_or_else(Vec::new, |names| self.walk(read, way, target, &legs, names))
    }

    /// What an index is called at cuts that lie one behind the other, each with the part before it, whose equations may be used.
    fn named(&self, index: TermId, cuts: impl Iterator<Item = (usize, usize)>) -> Option<Vec<TermId>> {
        let t = self.clauses.terms;
        let mut index = index;
        let mut names = Vec::new();
        for (part, cut) in cuts {
            let is_shared = |monomial: TermId| self.shared[cut].covers(t, monomial);
            if !is_shared(index) {
                let goes = |monomial: TermId| !is_shared(monomial);
                let sum = self.theory.rewritten(self.clauses, &t.linear(index), part, goes);
                // Half a symbol is no whole number as far as terms can tell.
                let whole =
                    sum.constant.is_integer() && sum.terms.iter().all(|(_, factor)| factor.is_integer());
                whole.then_some(())?;
                index = t.from_linear(&sum, Sort::Int);
            }
            names.push(is_shared(index).then_some(index)?);
        }
        Some(names)
    }

    /// The facts along a way, which has a leg for each step and one to the target, with the names of the index at its cuts.
    fn walk(
        &self,
        read: TermId,
        way: &[&Step],
        target: &Target,
        legs: &[Leg],
        names: Vec<TermId>,
    ) -> Vec<(usize, TermId)> {
        let t = self.clauses.terms;
        let (mut array, mut index) = (t.arg(read, 0), t.arg(read, 1));
        let mut names = names.into_iter();
        let mut facts = Vec::new();
        for (i, leg) in legs.iter().enumerate() {
            for (crossing, name) in leg.crossings.iter().zip(&mut names) {
                if name != index {
                    let equal = t.eq(t.select(array, index), t.select(array, name));
                    facts.push((crossing.before, t.implies(t.eq(index, name), equal)));
                    index = name;
                }
            }
            let fact = match way.get(i) {
                Some(step) => {
                    let same = t.eq(t.select(array, index), t.select(step.to, index));
                    array = step.to;
                    match step.by {
                        By::Equation(equation) => t.implies(equation, same),
                        By::Write(written) => t.or([t.eq(index, written), same]),
                    }
                }
                None => {
                    let reached = t.eq(t.select(array, index), target.value);
                    let there = target.index.map_or(t.tru(), |theirs| t.eq(index, theirs));
                    t.implies(there, reached)
                }
            };
            facts.push((leg.part, fact));
        }
        facts
    }

    /// The cuts on the way from one part to another.
    fn crossings(&self, from: usize, to: usize) -> Vec<Crossing> {
        let (mut up, mut down) = (Vec::new(), Vec::new());
        let (mut a, mut b) = (from, to);
        while a != b {
            let low = a.min(b);
            let parent = self.tree.parents[low];
            if low == a {
                up.push(Crossing { before: a, cut: a, behind: parent });
                a = parent;
            } else {
                down.push(Crossing { before: parent, cut: b, behind: b });
                b = parent;
            }
        }
        up.extend(down.into_iter().rev());
        up
    }

    /// Of the first parts the one that is nearest to one of the others.
    fn nearest(&self, of: &[usize], to: &[usize]) -> usize {
        let distance = |part: &usize| to.iter().map(|other| self.crossings(*part, *other).len()).min();
        of.iter().copied().min_by_key(distance).expect("what occurs occurs in a part")
    }
}
