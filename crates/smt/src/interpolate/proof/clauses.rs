//! The parts of a problem as clauses.
//!
//! Each part is translated on its own (after Plaisted and Greenbaum 1986: a name for a subformula implies it, and nothing is said of the other direction), so
//! that names belong to one part. Atoms are shared: one that occurs in several parts is one variable, and an atom never has symbols of a part in which
//! it does not occur. What arithmetic does not know is made of what it knows: an if-then-else of numbers becomes a symbol of its part with two
//! implications, a quotient or remainder by a number gets the inequalities that define it. Arrays that are written get a symbol of their part as well; what
//! is known of it is kept beside the clauses ([`super::arrays`]). All other terms are taken as they are.
//!
//! [`Clauses::justification`] picks from a model of the clauses the literals that make the parts true: one disjunct of each disjunction.

use super::sat::{ClauseId, Lit, Sat};
use craig_logic::{Op, Rat, Relation, Sort, Substituter, Substitution, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a clause comes from that was not derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Part(usize),
    /// A fact of arithmetic, by its number.
    Lemma(usize),
}

/// What is known of a variable.
#[derive(Debug)]
pub struct Variable {
    /// The atom; none for names of subformulas.
    pub atom: Option<TermId>,
    /// The parts in which it occurs, ascending.
    pub parts: Vec<usize>,
    /// What a name implies: clauses without the name.
    implied: Vec<Vec<Lit>>,
}

/// What an array with a name of ours is.
#[derive(Debug, Clone, Copy)]
pub enum Array {
    /// Another one with a value at an index.
    Write { base: TermId, index: TermId, value: TermId },
    /// The same value everywhere.
    Same { value: TermId },
}

pub struct Clauses<'a> {
    pub terms: &'a Terms,
    pub sat: Sat,
    pub variables: Vec<Variable>,
    /// By clause; none for derived ones.
    sources: FxHashMap<ClauseId, Source>,
    atoms: FxHashMap<TermId, usize>,
    /// The parts in which a monomial occurs.
    monomials: FxHashMap<TermId, Vec<usize>>,
    /// What must hold.
    tops: Vec<Vec<Lit>>,
    /// Names of subformulas of the part at hand, with the polarity that matters.
    names: FxHashMap<(TermId, bool), Lit>,
    /// Arrays that parts make: the part, the name, what it stands for.
    pub arrays: Vec<(usize, TermId, Array)>,
}

impl<'a> Clauses<'a> {
    pub fn new(terms: &'a Terms) -> Self {
        Clauses {
            terms,
            sat: Sat::new(),
            variables: Vec::new(),
            sources: FxHashMap::default(),
            atoms: FxHashMap::default(),
            monomials: FxHashMap::default(),
            tops: Vec::new(),
            names: FxHashMap::default(),
            arrays: Vec::new(),
        }
    }

    pub fn source(&self, clause: ClauseId) -> Option<Source> {
        self.sources.get(&clause).copied()
    }

    pub fn add(&mut self, literals: Vec<Lit>, source: Source) {
        let id = self.sat.add(literals);
        self.sources.insert(id, source);
    }

    fn variable(&mut self, atom: Option<TermId>, part: usize) -> usize {
        let variable = self.sat.variable(false);
        self.variables.push(Variable { atom, parts: vec![part], implied: Vec::new() });
        variable
    }

    /// The literal of an atom or its negation, which occurs in a part.
    pub fn literal(&mut self, literal: TermId, part: usize) -> Lit {
        let (atom, positive) = self.terms.atom(literal);
        let variable = match self.atoms.get(&atom) {
            Some(known) => *known,
            None => {
                let new = self.variable(Some(atom), part);
                self.atoms.insert(atom, new);
                new
            }
        };
        enter(&mut self.variables[variable].parts, part);
        self.occurs(atom, part);
        Lit::new(variable, positive)
    }

    /// The literal of an atom or its negation that occurs where something else does, too.
    pub fn literal_at(&mut self, literal: TermId, parts: &[usize]) -> Lit {
        let found: Vec<Lit> = parts.iter().map(|part| self.literal(literal, *part)).collect();
        found[0]
    }

    /// The literal as a term.
    pub fn term(&self, literal: Lit) -> Option<TermId> {
        let atom = self.variables[literal.variable()].atom?;
        Some(if literal.is_positive() { atom } else { self.terms.not(atom) })
    }

    fn occurs(&mut self, atom: TermId, part: usize) {
        if let Some(found) = self.terms.linear_literal(atom) {
            for (monomial, _) in &found.linear.terms {
                enter(self.monomials.entry(*monomial).or_default(), part);
            }
        }
    }

    /// The parts in which a monomial occurs.
    pub fn parts_of(&self, monomial: TermId) -> &[usize] {
        self.monomials.get(&monomial).map_or(&[], Vec::as_slice)
    }

    /// A formula of a part.
    pub fn assert(&mut self, formula: TermId, part: usize) {
        self.names.clear();
        let mut facts = self.without_choices(formula, part);
        facts.extend(self.divisions(&facts));
        let mut unnamed = Vec::new();
        for fact in facts {
            for clause in cnf(self.terms, fact, true) {
                if let Some(literals) = self.clause(clause, part, &mut unnamed) {
                    self.tops.push(literals.clone());
                    self.add(literals, Source::Part(part));
                }
            }
        }
        while let Some((term, polarity, name)) = unnamed.pop() {
            for clause in cnf(self.terms, term, polarity) {
                if let Some(literals) = self.clause(clause, part, &mut unnamed) {
                    let mut whole = literals.clone();
                    whole.push(!name);
                    self.variables[name.variable()].implied.push(literals);
                    self.add(whole, Source::Part(part));
                }
            }
        }
    }

    /// The literals of a disjunction; none if it always holds. Subformulas that get a name are added to `unnamed`.
    fn clause(
        &mut self,
        mut open: Vec<(TermId, bool)>,
        part: usize,
        unnamed: &mut Vec<(TermId, bool, Lit)>,
    ) -> Option<Vec<Lit>> {
        let t = self.terms;
        let mut literals: Vec<Lit> = Vec::new();
        while let Some((term, polarity)) = open.pop() {
            match (t.op(term), polarity) {
                (Op::True, true) | (Op::False, false) => return None,
                (Op::True, false) | (Op::False, true) => {}
                (Op::Not, _) => open.push((t.arg(term, 0), !polarity)),
                (Op::Or, true) | (Op::And, false) => open.extend(t.args(term).iter().map(|a| (*a, polarity))),
                _ if t.is_connective(term) => {
                    let name = match self.names.get(&(term, polarity)) {
                        Some(name) => *name,
                        None => {
                            let name = Lit::new(self.variable(None, part), true);
                            self.names.insert((term, polarity), name);
                            unnamed.push((term, polarity, name));
                            name
                        }
                    };
                    literals.push(name);
                }
                _ => literals.push(self.literal(if polarity { term } else { t.not(term) }, part)),
            }
        }
        literals.sort_unstable();
        literals.dedup();
        let contrary = literals.windows(2).any(|pair| pair[0] == !pair[1]);
        (!contrary).then_some(literals)
    }

    /// The formula with a symbol of the part for each if-then-else that is no formula and each array that is made, and what defines the former.
    fn without_choices(&mut self, formula: TermId, part: usize) -> Vec<TermId> {
        let t = self.terms;
        let mut map = Substitution::default();
        let mut named = Vec::new();
        for term in t.postorder(&[formula]) {
            let prefix = match t.op(term) {
                Op::Ite if t.sort(term) != Sort::Bool => "choice",
                Op::Store | Op::ConstArray => "array",
                _ => continue,
            };
            map.insert(term, t.symbol(&format!("{prefix}!{part}!{}", term.index()), t.sort(term)));
            named.push(term);
        }
        let mut rename = Substituter::new(t, &map);
        let mut facts = vec![rename.apply(formula)];
        for term in named {
            let args: Vec<TermId> = t.args(term).iter().map(|a| rename.apply(*a)).collect();
            match args[..] {
                [condition, then, otherwise] if t.op(term) == Op::Ite => {
                    facts.push(t.implies(condition, t.eq(map[&term], then)));
                    facts.push(t.implies(t.not(condition), t.eq(map[&term], otherwise)));
                }
                [base, index, value] => {
                    self.arrays.push((part, map[&term], Array::Write { base, index, value }));
                }
                [value] => self.arrays.push((part, map[&term], Array::Same { value })),
                _ => unreachable!("a choice, a write or a constant array"),
            }
        }
        facts
    }

    /// What defines the quotients and remainders by numbers in these formulas.
    fn divisions(&self, facts: &[TermId]) -> Vec<TermId> {
        let t = self.terms;
        let mut found = Vec::new();
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut open = t.postorder(facts);
        while let Some(term) = open.pop() {
            if !matches!(t.op(term), Op::Div | Op::Mod) || !seen.insert(term) {
                continue;
            }
            let (e, k) = (t.arg(term, 0), t.arg(term, 1));
            let Some(divisor) = t.number(k).filter(Rat::is_positive) else { continue };
            let quotient = t.div(e, k);
            let rest = t.sub(e, t.scale(&divisor, quotient));
            let last = t.numeral(&(divisor - Rat::ONE), Sort::Int);
            if t.op(term) == Op::Mod {
                found.push(t.eq(term, rest));
                found.extend([t.ge(term, t.int(0)), t.le(term, last)]);
            } else {
                found.extend([t.ge(rest, t.int(0)), t.le(rest, last)]);
            }
        }
        found
    }

    /// Atoms and their values in a model of the clauses such that all parts hold, whatever the others are.
    pub fn justification(&self) -> Vec<Lit> {
        let mut chosen: FxHashSet<Lit> = FxHashSet::default();
        let mut found = Vec::new();
        let mut open: Vec<&Vec<Lit>> = self.tops.iter().rev().collect();
        while let Some(clause) = open.pop() {
            if clause.iter().any(|l| chosen.contains(l)) {
                continue;
            }
            // What was set first is what the others follow from.
            let holding = clause.iter().filter(|l| self.sat.value(**l) == Some(true));
            let Some(literal) = holding.min_by_key(|l| self.sat.place(l.variable())).copied() else {
                continue;
            };
            chosen.insert(literal);
            let variable = &self.variables[literal.variable()];
            match variable.atom {
                Some(_) => found.push(literal),
                None => open.extend(variable.implied.iter().rev()),
            }
        }
        found
    }

    /// Facts that compare bounds of one sum: of two neighbours the tighter implies the other.
    pub fn ordered_bounds(&self) -> Vec<[Lit; 2]> {
        let t = self.terms;
        let mut sums: FxHashMap<TermId, Vec<(Rat, usize)>> = FxHashMap::default();
        let mut order: Vec<TermId> = Vec::new();
        for (variable, known) in self.variables.iter().enumerate() {
            let Some(atom) = known.atom else { continue };
            if t.linear_literal(atom).is_none_or(|l| l.relation != Relation::Le) {
                continue;
            }
            let (sum, bound) = (t.arg(atom, 0), t.number(t.arg(atom, 1)).expect("a bound is a number"));
            let bounds = sums.entry(sum).or_default();
            if bounds.is_empty() {
                order.push(sum);
            }
            bounds.push((bound, variable));
        }
        let mut found = Vec::new();
        for sum in order {
            let bounds = sums.get_mut(&sum).expect("entered above");
            bounds.sort();
            found.extend(bounds.windows(2).map(|w| [Lit::new(w[0].1, true), Lit::new(w[1].1, false)]));
        }
        found
    }
}

fn enter(parts: &mut Vec<usize>, part: usize) {
    if let Err(at) = parts.binary_search(&part) {
        parts.insert(at, part);
    }
}

/// The term or its negation as a conjunction of disjunctions of terms and negated terms.
fn cnf(t: &Terms, term: TermId, polarity: bool) -> Vec<Vec<(TermId, bool)>> {
    match (t.op(term), polarity) {
        (Op::True, true) | (Op::False, false) => Vec::new(),
        (Op::Not, _) => cnf(t, t.arg(term, 0), !polarity),
        (Op::And, true) | (Op::Or, false) => t.args(term).iter().map(|a| vec![(*a, polarity)]).collect(),
        (Op::Ite, _) if t.sort(term) == Sort::Bool => {
            let args = t.args(term);
            vec![vec![(args[0], false), (args[1], polarity)], vec![(args[0], true), (args[2], polarity)]]
        }
        (Op::Eq, _) if t.is_connective(term) => {
            let (a, b) = (t.arg(term, 0), t.arg(term, 1));
            vec![vec![(a, false), (b, polarity)], vec![(a, true), (b, !polarity)]]
        }
        _ => vec![vec![(term, polarity)]],
    }
}
