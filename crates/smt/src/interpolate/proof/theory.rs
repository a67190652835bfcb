//! Whether literals of arithmetic can hold together, and if not, why.
//!
//! Sums go to [`Bounds`], which refutes them over the fractions, several contradictions a time. What it finds possible is held against the rest: an
//! inequation `e != b` that fails is refuted by equations alone if they give `e = b`, else it is split into `e < b` and `e > b`; values that are not whole are refuted
//! by equations alone if these leave a remainder, else one of them is asked to be below or above (a branch). Atoms made on the way occur in the parts in which what they
//! are made of occurs, so that none of them mixes symbols of two parts.

use super::bounds::{Bounds, GivenUp};
use super::clauses::{Clauses, Source};
use super::lemma::{Lemma, Proof};
use super::sat::Lit;
use crate::interpolate::separate::fractional_combination;
use crate::interpolate::simplex::Effort;
use craig_logic::{Linear, Op, Rat, Sort, TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Contradictions that are looked for in one set of literals. With one a time a prototype took twice as many rounds.
const CONTRADICTIONS: usize = 16;
/// Inequations that are split in one round.
const SPLITS: usize = 4;
/// A sum with so many values, as a remainder by a small number has, is worth a case for each.
const RANGE: i64 = 16;
/// Branches before the layer gives up.
const BRANCHES: usize = 60;

/// What came of literals that were to hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Lemmas or atoms were added.
    More,
    /// As far as we see, they can hold together.
    Possible,
    GivenUp(&'static str),
}

impl From<GivenUp> for Found {
    fn from(_: GivenUp) -> Self {
        Found::GivenUp("the linear programs are too large")
    }
}

#[derive(Default)]
pub struct Theory {
    bounds: Bounds,
    /// Columns of monomials, and of sums by their terms.
    columns: FxHashMap<TermId, usize>,
    /// Monomials of integers, in the order of their columns.
    monomials: Vec<(TermId, usize)>,
    pub lemmas: Vec<Lemma>,
    /// Atoms that branches were made on: their values count whether a part needs them or not.
    branches: Vec<usize>,
    /// Inequations that were split: where one is to hold, one of these must.
    splits: FxHashMap<Lit, [Lit; 2]>,
    /// Bounds that meet: where both hold, so does the equation.
    meeting: FxHashMap<[Lit; 2], Lit>,
    /// What was looked at last.
    facts: Vec<Fact>,
}

/// A literal of arithmetic among those that are to hold.
struct Fact {
    literal: Lit,
    term: TermId,
    column: usize,
    bound: Rat,
    /// Equation, inequation, upper or lower bound.
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Equal,
    Unequal,
    Upper,
    Lower,
}

impl Theory {
    fn column(&mut self, t: &Terms, sum: TermId) -> usize {
        if let Some(known) = self.columns.get(&sum) {
            return *known;
        }
        let linear = t.linear(sum);
        let mut parts = Vec::new();
        for (monomial, factor) in &linear.terms {
            let column = match self.columns.get(monomial) {
                Some(known) => *known,
                None => {
                    let new = self.bounds.column();
                    self.columns.insert(*monomial, new);
                    self.monomials.push((*monomial, new));
                    new
                }
            };
            parts.push((column, factor.clone()));
        }
        match &parts[..] {
            [(column, factor)] if factor.is_one() => *column,
            _ => {
                let new = self.bounds.sum(&parts);
                self.columns.insert(sum, new);
                new
            }
        }
    }

    fn fact(&mut self, clauses: &Clauses<'_>, literal: Lit) -> Option<Fact> {
        let t = clauses.terms;
        let term = clauses.term(literal)?;
        let (atom, positive) = t.atom(term);
        let kind = match (t.op(atom), positive) {
            (Op::Eq, true) => Kind::Equal,
            (Op::Eq, false) => Kind::Unequal,
            (Op::Le, true) => Kind::Upper,
            (Op::Le, false) => Kind::Lower,
            _ => return None,
        };
        let sum = t.arg(atom, 0);
        if t.sort(sum) != Sort::Int {
            return None;
        }
        let bound = t.number(t.arg(atom, 1)).expect("an atom of arithmetic ends with a number");
        let bound = if kind == Kind::Lower { bound + Rat::ONE } else { bound };
        Some(Fact { literal, term, column: self.column(t, sum), bound, kind })
    }

    fn add(&mut self, clauses: &mut Clauses<'_>, lemma: Lemma) {
        clauses.add(lemma.clause(), Source::Lemma(self.lemmas.len()));
        self.lemmas.push(lemma);
    }

    /// Lemmas that hold among the atoms from the start.
    pub fn prepare(&mut self, clauses: &mut Clauses<'_>) {
        for pair in clauses.ordered_bounds() {
            let literals = pair.iter().map(|l| (*l, clauses.term(*l).expect("an atom"), Rat::ONE)).collect();
            self.add(clauses, Lemma { proof: Proof::Farkas, literals });
        }
    }

    /// Looks at the literals that make the parts true.
    pub fn examine(&mut self, clauses: &mut Clauses<'_>, literals: &[Lit], effort: &Effort) -> Found {
        let branches = self.branches.iter().filter_map(|v| {
            let positive = Lit::new(*v, true);
            let value = clauses.sat.value(positive)?;
            Some(if value { positive } else { !positive })
        });
        let cases = literals.iter().filter_map(|l| self.splits.get(l)).map(|cases| {
            let holds = |l: &&Lit| clauses.sat.value(**l) == Some(true);
            *cases.iter().find(holds).expect("the clause of the split holds")
        });
        let mut all: Vec<Lit> = literals.iter().copied().chain(branches).chain(cases).collect();
        all.sort_by_key(|l| clauses.sat.place(l.variable()));
        all.dedup();
        let mut facts: Vec<Fact> = all.iter().filter_map(|l| self.fact(clauses, *l)).collect();
        let equations: Vec<Lit> = meeting(&facts)
            .iter()
            .filter_map(|pair| self.meeting.get(&pair.map(|i| facts[i].literal)).copied())
            .collect();
        facts.extend(equations.into_iter().filter_map(|l| self.fact(clauses, l)));
        match self.contradictions(clauses, &facts, effort) {
            Err(given_up) => return given_up.into(),
            Ok(true) => return Found::More,
            Ok(false) => {}
        }
        match self.inequations(clauses, &facts, effort) {
            Err(given_up) => return given_up.into(),
            Ok(true) => return Found::More,
            Ok(false) => {}
        }
        if self.remainders(clauses, &facts) {
            return Found::More;
        }
        let found = self.branch(clauses, &facts);
        self.facts = facts;
        found
    }

    /// The value of a sum in what was found possible. What arithmetic does not speak of may have any value, so it has none of its own.
    pub fn value(&self, t: &Terms, sum: TermId) -> Rat {
        let linear = t.linear(sum);
        let mut value = linear.constant.clone();
        for (monomial, factor) in &linear.terms {
            if let Some(column) = self.columns.get(monomial) {
                value += &(factor * self.bounds.value(*column));
            }
        }
        value
    }

    /// A sum without the monomials that `goes` says, as far as those equations of what was looked at last allow whose literals are in a part.
    pub fn rewritten(
        &self,
        clauses: &Clauses<'_>,
        sum: &Linear,
        part: usize,
        goes: impl Fn(TermId) -> bool,
    ) -> Linear {
        let here = |fact: &Fact| clauses.variables[fact.literal.variable()].parts.contains(&part);
        let facts = self.facts.iter().enumerate().filter(|(_, fact)| here(fact));
        Equations::new(clauses.terms, facts, goes).reduce(sum.clone()).0
    }

    /// Contradictions among bounds; whether there are any.
    fn contradictions(
        &mut self,
        clauses: &mut Clauses<'_>,
        facts: &[Fact],
        effort: &Effort,
    ) -> Result<bool, GivenUp> {
        let mut dropped = vec![false; facts.len()];
        let mut found = Vec::new();
        while found.len() < CONTRADICTIONS {
            self.bounds.clear();
            for (i, fact) in facts.iter().enumerate().filter(|(i, _)| !dropped[*i]) {
                if matches!(fact.kind, Kind::Equal | Kind::Upper) {
                    self.bounds.bound(fact.column, &fact.bound, true, i);
                }
                if matches!(fact.kind, Kind::Equal | Kind::Lower) {
                    self.bounds.bound(fact.column, &fact.bound, false, i);
                }
            }
            let Some(contradiction) = self.bounds.check(effort)? else { break };
            // The one that was set last: the others may be in the next contradiction, too.
            let last = contradiction.iter().map(|(i, ..)| *i).max().expect("not empty");
            dropped[last] = true;
            let literals = contradiction.into_iter().map(|(i, is_upper, weight)| {
                let fact = &facts[i];
                let weight = if fact.kind == Kind::Equal && !is_upper { -weight } else { weight };
                (fact.literal, fact.term, weight)
            });
            found.push(Lemma { proof: Proof::Farkas, literals: literals.collect() });
        }
        let any = !found.is_empty();
        found.into_iter().for_each(|lemma| self.add(clauses, lemma));
        Ok(any)
    }

    /// Inequations that fail; whether there are any.
    fn inequations(
        &mut self,
        clauses: &mut Clauses<'_>,
        facts: &[Fact],
        effort: &Effort,
    ) -> Result<bool, GivenUp> {
        let t = clauses.terms;
        let unequal: Vec<&Fact> = facts.iter().filter(|f| f.kind == Kind::Unequal).collect();
        if unequal.iter().any(|f| *self.bounds.value(f.column) == f.bound) {
            self.bounds.loosen(effort)?;
        }
        // Most fail because zero is the first value that is tried: another one does, and nothing is to be split.
        let mut failing: Vec<&Fact> = Vec::new();
        for fact in &unequal {
            if *self.bounds.value(fact.column) == fact.bound {
                let avoided = |column: usize, value: &Rat| {
                    !unequal.iter().any(|f| f.column == column && f.bound == *value)
                };
                if !self.bounds.shift(fact.column, avoided) {
                    failing.push(fact);
                }
            }
        }
        if failing.is_empty() {
            return Ok(false);
        }
        let equations = Equations::new(t, facts.iter().enumerate(), |_| true);
        let mut implied = false;
        for fact in &failing {
            if let Some(weights) = equations.sum_to(&linear(t, fact.term)) {
                let mut literals: Vec<(Lit, TermId, Rat)> =
                    weights.into_iter().map(|(i, w)| (facts[i].literal, facts[i].term, w)).collect();
                literals.push((fact.literal, fact.term, Rat::ONE));
                self.add(clauses, Lemma { proof: Proof::Equation, literals });
                implied = true;
            }
        }
        if implied {
            return Ok(true);
        }
        for fact in failing.into_iter().take(SPLITS) {
            let parts = clauses.variables[fact.literal.variable()].parts.clone();
            let equation = linear(t, fact.term);
            let at_most = t.le_zero(&equation, Sort::Int, false);
            let at_least = t.le_zero(&equation.scaled(&Rat::MINUS_ONE), Sort::Int, false);
            let literals = [at_most, at_least].map(|term| (clauses.literal_at(term, &parts), term, Rat::ONE));
            let mut literals = literals.to_vec();
            self.splits.insert(fact.literal, [!literals[0].0, !literals[1].0]);
            literals.push((fact.literal, fact.term, Rat::ONE));
            self.add(clauses, Lemma { proof: Proof::Bounds, literals });
        }
        Ok(true)
    }

    /// Equations that no whole numbers satisfy; whether there are any.
    fn remainders(&mut self, clauses: &mut Clauses<'_>, facts: &[Fact]) -> bool {
        if self.fraction().is_none() {
            return false;
        }
        let equations: Vec<&Fact> = facts.iter().filter(|f| f.kind == Kind::Equal).collect();
        let sums: Vec<Linear> = equations.iter().map(|f| linear(clauses.terms, f.term)).collect();
        let Some(weights) = fractional_combination(&sums.iter().collect::<Vec<_>>()) else {
            return self.meet(clauses, facts);
        };
        let used = equations.iter().zip(weights).filter(|(_, w)| !w.is_zero());
        let literals = used.map(|(f, w)| (f.literal, f.term, w)).collect();
        self.add(clauses, Lemma { proof: Proof::Remainder, literals });
        true
    }

    /// Makes equations of bounds that meet; whether there are any that were not made before.
    fn meet(&mut self, clauses: &mut Clauses<'_>, facts: &[Fact]) -> bool {
        let t = clauses.terms;
        let before = self.meeting.len();
        for pair in meeting(facts) {
            let bounds = pair.map(|i| &facts[i]);
            let key = bounds.map(|f| f.literal);
            if self.meeting.contains_key(&key) {
                continue;
            }
            let parts = clauses.variables[key[0].variable()].parts.clone();
            let equation = t.eq_zero(&linear(t, bounds[0].term), Sort::Int);
            let literal = clauses.literal_at(equation, &parts);
            self.meeting.insert(key, literal);
            let mut literals: Vec<(Lit, TermId, Rat)> =
                bounds.iter().map(|f| (f.literal, f.term, Rat::ONE)).collect();
            literals.push((!literal, t.not(equation), Rat::ONE));
            self.add(clauses, Lemma { proof: Proof::Bounds, literals });
        }
        self.meeting.len() > before
    }

    /// A monomial whose value is not whole.
    fn fraction(&self) -> Option<(TermId, Rat)> {
        let value = |(m, column): &(TermId, usize)| (*m, self.bounds.value(*column).clone());
        self.monomials.iter().map(value).find(|(_, v)| !v.is_integer())
    }

    /// Asks whether something lies below or above: of a sum that takes few values and makes a monomial not whole whether it is at its bound, since there it is an
    /// equation, which may leave a remainder (`x % 2 == 0` instead of `x <= 0` and `x >= 0`); else of the monomial.
    fn branch(&mut self, clauses: &mut Clauses<'_>, facts: &[Fact]) -> Found {
        let Some((monomial, value)) = self.fraction() else { return Found::Possible };
        if self.branches.len() >= BRANCHES {
            return Found::GivenUp("whole numbers need too many cases");
        }
        let t = clauses.terms;
        let (atom, parts) = match self.bounds.narrow(self.columns[&monomial], &Rat::from(RANGE)) {
            Some((who, is_upper)) => {
                let fact = &facts[who];
                let below = if is_upper { &fact.bound - &Rat::ONE } else { fact.bound.clone() };
                let sum = t.arg(t.atom(fact.term).0, 0);
                let parts = clauses.variables[fact.literal.variable()].parts.clone();
                (t.le(sum, t.numeral(&below, Sort::Int)), parts)
            }
            None => {
                let below = t.le(monomial, t.numeral(&value.floor(), Sort::Int));
                (below, clauses.parts_of(monomial).to_vec())
            }
        };
        let literal = clauses.literal_at(atom, &parts);
        self.branches.push(literal.variable());
        Found::More
    }
}

/// Upper and lower bounds that are the same, of sums that no equation speaks of.
fn meeting(facts: &[Fact]) -> Vec<[usize; 2]> {
    let mut bounds: BTreeMap<usize, (Option<usize>, Option<usize>)> = BTreeMap::new();
    for (i, fact) in facts.iter().enumerate() {
        let (upper, lower) = bounds.entry(fact.column).or_default();
        let tighter = |old: &Option<usize>, less: bool| {
            old.is_none_or(|o| if less { fact.bound < facts[o].bound } else { fact.bound > facts[o].bound })
        };
        match fact.kind {
            Kind::Upper if tighter(upper, true) => *upper = Some(i),
            Kind::Lower if tighter(lower, false) => *lower = Some(i),
            _ => {}
        }
    }
    let met = bounds.into_values().filter_map(|(upper, lower)| Some([upper?, lower?]));
    met.filter(|[upper, lower]| facts[*upper].bound == facts[*lower].bound).collect()
}

/// The sum that an equation says is zero, and its negation says is not.
fn linear(t: &Terms, literal: TermId) -> Linear {
    t.linear_literal(literal).expect("a literal of arithmetic").linear
}

/// Equations, solved for a monomial each.
struct Equations {
    /// By monomial: an equation with it, as a weighted sum of those given.
    solved: BTreeMap<TermId, (Linear, BTreeMap<usize, Rat>)>,
}

impl Equations {
    /// The equations among the facts, solved for monomials that `goes` says.
    fn new<'a>(
        t: &Terms,
        facts: impl Iterator<Item = (usize, &'a Fact)>,
        goes: impl Fn(TermId) -> bool,
    ) -> Equations {
        let mut equations = Equations { solved: BTreeMap::new() };
        for (i, fact) in facts.filter(|(_, f)| f.kind == Kind::Equal) {
            let (rest, mut weights) = equations.reduce(linear(t, fact.term));
            // What is left is the given one less those taken away.
            weights.values_mut().for_each(|w| *w = -&*w);
            *weights.entry(i).or_insert(Rat::ZERO) += &Rat::ONE;
            // Solved for the symbol that was made last: states further on are told by those before.
            if let Some((monomial, _)) = rest.terms.iter().rev().find(|(m, _)| goes(*m)).cloned() {
                equations.solved.insert(monomial, (rest, weights));
            }
        }
        equations
    }

    /// What is left of a sum when solved monomials are taken out with multiples of equations, and which of those given that took.
    fn reduce(&self, mut sum: Linear) -> (Linear, BTreeMap<usize, Rat>) {
        let mut weights: BTreeMap<usize, Rat> = BTreeMap::new();
        loop {
            let next = sum
                .terms
                .iter()
                .rev()
                .find_map(|(m, c)| Some((self.solved.get(m)?, c / &self.solved[m].0.coefficient(*m))));
            let Some(((equation, parts), factor)) = next else { return (sum, weights) };
            sum = sum.plus(&-&factor, equation);
            for (i, w) in parts {
                *weights.entry(*i).or_insert(Rat::ZERO) += &(w * &factor);
            }
        }
    }

    /// Weights with which the equations sum up to the given sum.
    fn sum_to(&self, sum: &Linear) -> Option<BTreeMap<usize, Rat>> {
        let (rest, mut weights) = self.reduce(sum.clone());
        weights.retain(|_, w| !w.is_zero());
        (rest.is_constant() && rest.constant.is_zero()).then_some(weights)
    }
}
