//! Formulas for people: conditions that hold together, each short enough to be read by itself.
//!
//! A conjunction becomes its parts. Of these, two bounds of one sum are an equation (`x == 3`) or a chain (`1 <= x <= 3`), numbers that are asked for one
//! by one are a set (`state in {3, 8464..8467}`), a choice becomes two conditions, and a clause that asks for something about the values at entry, or for one
//! value, an implication (`old(n) >= 1 ==> result >= old(n)`). Nothing is dropped and nothing added: what the parts say together is the formula.

use craig_logic::linear::{Linear, Relation};
use craig_logic::{Op, Rat, Sort, TermId, Terms};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// Choices that are taken apart, one in the other: each doubles what is behind it.
const NESTED: usize = 3;
/// From so many numbers in a row on a set names the first and the last.
const ROW: usize = 4;

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    text: String,
    /// Can it stand between other conditions without parentheses?
    tight: bool,
}

/// The conditions of a formula, which hold together.
pub fn clauses(terms: &Terms, formula: TermId) -> Vec<Clause> {
    let mut parts = Vec::new();
    take_apart(terms, formula, NESTED, &mut parts);
    let Some(bounds) = Bounds::join(terms, &mut parts) else {
        return vec![Clause::tight("false")];
    };
    let mut sets = Numbers::default();
    parts.retain(|part| !sets.take(terms, *part, Relation::Ne));
    let (conditional, plain): (Vec<_>, Vec<_>) = parts
        .into_iter()
        .map(|part| (part, divided(terms, part)))
        .partition(|(_, divided)| divided.is_some());
    let mut clauses: Vec<Clause> = plain.into_iter().map(|(part, _)| clause(terms, part)).collect();
    clauses.extend(bounds);
    // What follows from one premise, together.
    let mut behind: IndexMap<TermId, Vec<TermId>> = IndexMap::new();
    for (premise, conclusion) in conditional.into_iter().filter_map(|(_, divided)| divided) {
        behind.entry(premise).or_default().push(conclusion);
    }
    for (premise, conclusions) in behind {
        clauses.push(implication(terms, premise, terms.and(conclusions)));
    }
    clauses.extend(sets.text(terms, "!=", "not in"));
    clauses
}

/// All of them in one line.
pub fn line(clauses: &[Clause]) -> String {
    match clauses {
        [] => "true".into(),
        [one] => one.text.clone(),
        several => several.iter().map(Clause::enclosed).collect::<Vec<_>>().join(" && "),
    }
}

impl Clause {
    fn tight(text: impl Into<String>) -> Clause {
        Clause { text: text.into(), tight: true }
    }

    /// A condition in words that are no formula.
    pub fn words(text: impl Into<String>) -> Clause {
        Clause { text: text.into(), tight: false }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    fn enclosed(&self) -> String {
        if self.tight { self.text.clone() } else { format!("({})", self.text) }
    }
}

fn take_apart(terms: &Terms, formula: TermId, nested: usize, parts: &mut Vec<TermId>) {
    match terms.op(formula) {
        Op::True => {}
        Op::And => terms.args(formula).iter().for_each(|arg| take_apart(terms, *arg, nested, parts)),
        Op::Ite if nested > 0 => {
            let [condition, then, other] = terms.args(formula)[..] else { return };
            take_apart(terms, terms.implies(condition, then), nested - 1, parts);
            take_apart(terms, terms.or([condition, other]), nested - 1, parts);
        }
        // Of a clause whose parts are conjunctions or choices, these.
        Op::Or if nested > 0 => {
            let args = terms.args(formula);
            let inner =
                |arg: &TermId| terms.sort(*arg) == Sort::Bool && matches!(terms.op(*arg), Op::Ite | Op::And);
            match args.iter().position(inner) {
                Some(at) if args.iter().filter(|arg| inner(arg)).count() == 1 => {
                    let mut of = Vec::new();
                    take_apart(terms, args[at], nested - 1, &mut of);
                    let rest: Vec<TermId> =
                        args.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, a)| *a).collect();
                    for part in of {
                        let clause = terms.or(rest.iter().copied().chain([part]));
                        take_apart(terms, clause, nested - 1, parts);
                    }
                }
                _ => parts.push(formula),
            }
        }
        _ => parts.push(formula),
    }
}

/// The least and the greatest number of a sum of integers.
#[derive(Default)]
struct Bounds {
    low: Option<Rat>,
    high: Option<Rat>,
}

impl Bounds {
    /// Takes the bounds of sums that have two out of the parts. None if they contradict each other.
    fn join(terms: &Terms, parts: &mut Vec<TermId>) -> Option<Vec<Clause>> {
        let mut all: BTreeMap<TermId, Bounds> = BTreeMap::new();
        // The sum without its constant, in the direction in which its first factor is positive.
        let bound = |part: TermId| {
            let found = terms.linear_literal(part)?;
            if found.relation != Relation::Le || found.sort != Sort::Int {
                return None;
            }
            let up = found.linear.terms.first().is_some_and(|(_, factor)| factor.is_positive());
            let mut sum = if up { found.linear } else { found.linear.scaled(&Rat::MINUS_ONE) };
            let number = -&sum.constant;
            sum.constant = Rat::ZERO;
            Some((terms.from_linear(&sum, Sort::Int), number, up))
        };
        for (sum, number, up) in parts.iter().filter_map(|part| bound(*part)) {
            let bounds = all.entry(sum).or_default();
            let (side, tighter) = if up {
                let tighter = bounds.high.as_ref().is_none_or(|old| number < *old);
                (&mut bounds.high, tighter)
            } else {
                let tighter = bounds.low.as_ref().is_none_or(|old| number > *old);
                (&mut bounds.low, tighter)
            };
            if tighter {
                *side = Some(number);
            }
        }
        all.retain(|_, bounds| bounds.low.is_some() && bounds.high.is_some());
        parts.retain(|part| bound(*part).is_none_or(|(sum, ..)| !all.contains_key(&sum)));
        let mut clauses = Vec::new();
        for (sum, bounds) in all {
            let (low, high) = bounds.low.zip(bounds.high)?;
            if low > high {
                return None;
            }
            clauses.push(if low == high {
                Clause::tight(terms.c(terms.eq(sum, terms.numeral(&low, Sort::Int))))
            } else {
                Clause::tight(format!("{low} <= {} <= {high}", terms.c(sum)))
            });
        }
        Some(clauses)
    }
}

/// Numbers that a value is compared with one by one.
#[derive(Default)]
struct Numbers(BTreeMap<TermId, Vec<Rat>>);

impl Numbers {
    /// Takes a literal that compares a value with a number in this way.
    fn take(&mut self, terms: &Terms, literal: TermId, relation: Relation) -> bool {
        let Some((value, number)) = compared(terms, literal, relation) else { return false };
        self.0.entry(value).or_default().push(number);
        true
    }

    fn text(self, terms: &Terms, one: &str, several: &str) -> Vec<Clause> {
        let text = |(value, mut numbers): (TermId, Vec<Rat>)| {
            numbers.sort();
            numbers.dedup();
            let value = terms.c(value);
            match &numbers[..] {
                [number] => Clause::tight(format!("{value} {one} {number}")),
                _ => Clause::tight(format!("{value} {several} {{{}}}", rows(&numbers))),
            }
        };
        self.0.into_iter().map(text).collect()
    }
}

/// A value that is no sum, and the number that it is compared with.
fn compared(terms: &Terms, literal: TermId, relation: Relation) -> Option<(TermId, Rat)> {
    let found = terms.linear_literal(literal).filter(|found| found.relation == relation)?;
    let Linear { terms: monomials, constant } = &found.linear;
    match &monomials[..] {
        [(value, factor)] if factor.is_one() && found.sort == Sort::Int => Some((*value, -constant)),
        _ => None,
    }
}

/// Ascending numbers; those in a row by the first and the last.
fn rows(numbers: &[Rat]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut rest = numbers;
    while let Some(first) = rest.first() {
        let next = |i: usize| rest[i - 1].clone() + Rat::ONE;
        let length = (1..rest.len()).find(|i| rest[*i] != next(*i)).unwrap_or(rest.len());
        if length < ROW {
            out.push(first.to_string());
            rest = &rest[1..];
        } else {
            out.push(format!("{first}..{}", rest[length - 1]));
            rest = &rest[length..];
        }
    }
    out.join(", ")
}

fn clause(terms: &Terms, part: TermId) -> Clause {
    let literals = terms.disjuncts(part);
    if literals.len() < 2 {
        let tight = !matches!(terms.op(part), Op::Ite) || terms.sort(part) != Sort::Bool;
        return Clause { text: terms.c(part), tight };
    }
    let text = one_of(terms, &literals);
    let tight = !text.contains(" || ");
    Clause { text, tight }
}

/// A clause as premise and conclusion: one that speaks of the values at entry and of others, or one that asks for a certain value.
fn divided(terms: &Terms, part: TermId) -> Option<(TermId, TermId)> {
    let literals = terms.disjuncts(part);
    let about_entry = |literal: &TermId| {
        let symbols = terms.symbols_of_all(&[*literal]);
        !symbols.is_empty() && symbols.iter().all(|symbol| terms.symbol_name(*symbol).starts_with("old("))
    };
    let other_than = |literal: &TermId| compared(terms, *literal, Relation::Ne).is_some();
    let divide = |of: &dyn Fn(&TermId) -> bool| {
        let (premise, conclusion): (Vec<TermId>, Vec<TermId>) =
            literals.iter().copied().partition(|literal| of(literal));
        let premise = terms.and(premise.into_iter().map(|literal| terms.not(literal)));
        (!terms.is_true(premise) && !conclusion.is_empty()).then(|| (premise, terms.or(conclusion)))
    };
    divide(&about_entry).or_else(|| divide(&other_than))
}

fn implication(terms: &Terms, premise: TermId, conclusion: TermId) -> Clause {
    let side = |term| match &clauses(terms, term)[..] {
        // Which implication is inside would not be seen.
        [one] if one.text.contains("==>") => one.enclosed(),
        several => line(several),
    };
    let (premise, conclusion) = (side(premise), side(conclusion));
    Clause { text: format!("{premise} ==> {conclusion}"), tight: false }
}

/// At least one of these holds.
fn one_of(terms: &Terms, literals: &[TermId]) -> String {
    let mut sets = Numbers::default();
    let rest: Vec<TermId> =
        literals.iter().copied().filter(|l| !sets.take(terms, *l, Relation::Eq)).collect();
    let mut texts: Vec<String> = sets.text(terms, "==", "in").into_iter().map(|clause| clause.text).collect();
    for literal in rest {
        let parts = clauses(terms, literal);
        texts.push(match &parts[..] {
            [one] => one.enclosed(),
            several => format!("({})", line(several)),
        });
    }
    texts.join(" || ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(formula: &str) -> Vec<String> {
        let terms = Terms::new();
        let names = ["x", "y", "z", "old(n)", "result"];
        let names: Vec<(&str, TermId)> =
            names.iter().map(|name| (*name, terms.symbol(name, Sort::Int))).collect();
        let formula = formula.replace("old(n)", "|old(n)|");
        let term = terms.read_term_with(&formula, names).expect("a formula");
        clauses(&terms, term).into_iter().map(|clause| clause.text).collect()
    }

    #[test]
    fn parts_of_a_conjunction() {
        assert_eq!(shown("true"), Vec::<String>::new());
        assert_eq!(shown("(and (<= x y) (>= x y))"), ["x == y"]);
        assert_eq!(shown("(and (<= x 3) (>= x 1) (>= y 0))"), ["y >= 0", "1 <= x <= 3"]);
        assert_eq!(shown("(and (<= x 3) (>= x 3))"), ["x == 3"]);
        assert_eq!(shown("(and (<= (+ x y) 3) (>= (+ x y) (- 2)))"), ["-2 <= x + y <= 3"]);
        assert_eq!(
            shown("(and (distinct x 3) (distinct x 4) (distinct y 1))"),
            ["x not in {3, 4}", "y != 1"]
        );
    }

    #[test]
    fn numbers_one_by_one() {
        assert_eq!(shown("(or (= x 3) (= x 8))"), ["x in {3, 8}"]);
        assert_eq!(shown("(or (= x 0) (= x 1) (= x 2) (= x 3) (= x 9))"), ["x in {0..3, 9}"]);
        assert_eq!(shown("(or (= x 3) (= x 8) (= y 1))"), ["x in {3, 8} || y == 1"]);
        assert_eq!(shown("(or (= x 1) (and (= x 2) (= y 1)))"), ["x in {1, 2}", "x == 1 || y == 1"]);
    }

    #[test]
    fn conditions() {
        assert_eq!(shown("(or (<= old(n) 0) (>= result old(n)))"), ["old(n) >= 1 ==> old(n) <= result"]);
        assert_eq!(shown("(or (distinct x 3) (>= y 1))"), ["x == 3 ==> y >= 1"]);
        assert_eq!(
            shown("(or (distinct old(n) 3) (>= x 1) (and (= y 1) (= z 1)))"),
            ["old(n) == 3 ==> (y == 1 || x >= 1) && (z == 1 || x >= 1)"]
        );
        assert_eq!(
            shown("(and (or (distinct old(n) 0) (<= x 1)) (or (distinct old(n) 0) (>= x 0)))"),
            ["old(n) == 0 ==> 0 <= x <= 1"]
        );
        assert_eq!(shown("(ite (<= x 0) (= y 1) (= y 2))"), ["y == 1 || x >= 1", "y == 2 || x <= 0"]);
    }

    #[test]
    fn what_stands_in_one_line() {
        let terms = Terms::new();
        let x = terms.symbol("x", Sort::Int);
        let y = terms.symbol("y", Sort::Int);
        let formula =
            terms.and([terms.or([terms.le(x, y), terms.ge(y, terms.int(3))]), terms.ge(x, terms.int(0))]);
        assert_eq!(line(&clauses(&terms, formula)), "(x <= y || y >= 3) && x >= 0");
        assert_eq!(line(&[]), "true");
    }
}
