//! What two literals have to say to each other, without the solver: one contradicts or implies the other where both compare the same term with a
//! number.

use craig_logic::{Op, Rat, TermId, Terms};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// `term relation number`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Comparison {
    term: TermId,
    relation: Against,
    number: Rat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Against {
    Eq,
    Ne,
    /// At most, below, at least, above.
    Le,
    Lt,
    Ge,
    Gt,
}

impl Comparison {
    fn of(terms: &Terms, literal: TermId) -> Option<Comparison> {
        let (atom, positive) = terms.atom(literal);
        let relation = match (terms.op(atom), positive) {
            (Op::Eq, true) => Against::Eq,
            (Op::Eq, false) => Against::Ne,
            (Op::Le, true) => Against::Le,
            (Op::Le, false) => Against::Gt,
            (Op::Lt, true) => Against::Lt,
            (Op::Lt, false) => Against::Ge,
            _ => return None,
        };
        let (a, b) = (terms.arg(atom, 0), terms.arg(atom, 1));
        let (term, number) = match (terms.number(a), terms.number(b)) {
            (None, Some(number)) => (a, number),
            (Some(number), None) if terms.op(atom) == Op::Eq => (b, number),
            _ => return None,
        };
        Some(Comparison { term, relation, number })
    }

    fn admits(&self, number: &Rat) -> bool {
        match self.relation {
            Against::Eq => *number == self.number,
            Against::Ne => *number != self.number,
            Against::Le => *number <= self.number,
            Against::Lt => *number < self.number,
            Against::Ge => *number >= self.number,
            Against::Gt => *number > self.number,
        }
    }

    /// No number is admitted by both. Not all such pairs are seen.
    fn contradicts(&self, other: &Comparison) -> bool {
        use Against::{Eq, Ge, Gt, Le, Lt};
        self.term == other.term
            && match (self.relation, other.relation) {
                (Eq, _) => !other.admits(&self.number),
                (_, Eq) => !self.admits(&other.number),
                (Le, Ge) => self.number < other.number,
                (Ge, Le) => other.number < self.number,
                (Le | Lt, Gt | Ge) => self.number <= other.number,
                (Gt | Ge, Le | Lt) => other.number <= self.number,
                _ => false,
            }
    }

    /// What this admits the other admits, too. Not all such pairs are seen.
    fn implies(&self, other: &Comparison) -> bool {
        use Against::{Eq, Ge, Gt, Le, Lt, Ne};
        self.term == other.term
            && match (self.relation, other.relation) {
                (Eq, _) => other.admits(&self.number),
                (Le | Lt, Le) | (Lt, Lt) => self.number <= other.number,
                (Le, Lt | Ne) => self.number < other.number,
                (Lt, Ne) => self.number <= other.number,
                (Ge | Gt, Ge) | (Gt, Gt) => self.number >= other.number,
                (Ge, Gt | Ne) => self.number > other.number,
                (Gt, Ne) => self.number >= other.number,
                _ => false,
            }
    }
}

/// A literal with what it says.
#[derive(Debug)]
pub struct Said {
    pub literal: TermId,
    negation: TermId,
    comparison: Option<Comparison>,
}

impl Said {
    pub fn contradicts(&self, other: &Said) -> bool {
        self.negation == other.literal
            || self.comparison.as_ref().zip(other.comparison.as_ref()).is_some_and(|(a, b)| a.contradicts(b))
    }

    pub fn implies(&self, other: &Said) -> bool {
        self.literal == other.literal
            || self.comparison.as_ref().zip(other.comparison.as_ref()).is_some_and(|(a, b)| a.implies(b))
    }
}

/// What literals say, each looked at once.
#[derive(Debug, Default)]
pub struct Saying(FxHashMap<TermId, Rc<Said>>);

impl Saying {
    pub fn of(&mut self, terms: &Terms, literal: TermId) -> Rc<Said> {
        let said = self.0.entry(literal).or_insert_with(|| {
            Rc::new(Said {
                literal,
                negation: terms.not(literal),
                comparison: Comparison::of(terms, literal),
            })
        });
        Rc::clone(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craig_logic::Sort;

    #[test]
    fn what_is_said_holds_for_numbers() {
        let terms = Terms::new();
        let x = terms.symbol("x", Sort::Real);
        let number = |n: i64| terms.numeral(&Rat::from(n), Sort::Real);
        let mut literals = Vec::new();
        for n in 0..3 {
            let made = [terms.eq(x, number(n)), terms.le(x, number(n)), terms.lt(x, number(n))];
            literals.extend(made.into_iter().flat_map(|l| [l, terms.not(l)]));
        }
        // All that can be told apart by bounds from 0 to 2.
        let points: Vec<Rat> = (-1..6).map(|n| Rat::new(n, 2)).collect();
        let mut known = Saying::default();
        let of = |literal| Comparison::of(&terms, literal).expect("a comparison");
        for &a in &literals {
            for &b in &literals {
                let both = points.iter().any(|p| of(a).admits(p) && of(b).admits(p));
                let follows = points.iter().all(|p| !of(a).admits(p) || of(b).admits(p));
                let (x, y) = (known.of(&terms, a), known.of(&terms, b));
                assert_eq!(x.implies(&y), follows, "{} {}", terms.smt(a), terms.smt(b));
                assert_eq!(x.contradicts(&y), !both, "{} {}", terms.smt(a), terms.smt(b));
            }
        }
    }
}
