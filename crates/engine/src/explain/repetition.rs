//! Explanations that repeat each other with other numbers.
//!
//! What the engine knows before a part of a path makes explanations short, but from it they may only count on: `i <= 1`, `i <= 2`, .., where
//! the part of the loop before it would have said `i <= n`. A sum of variables that gets a third bound at a location is taken for that. Variables that take few
//! values are no reason: a protocol runs through all of its states.

use craig_cfa::LocId;
use craig_logic::{Linear, Rat, TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// So many numbers beside one sum are no repetition yet: two may be the two ends of an interval.
const FEW: usize = 2;

#[derive(Debug, Default)]
pub struct Repetition {
    /// The numbers that sums were compared with, by location.
    numbers: FxHashMap<(LocId, Linear), BTreeSet<Rat>>,
}

impl Repetition {
    /// Whether a sum was compared with more numbers than a few at a location.
    pub fn is_known(&self, loc: LocId, sum: &Linear) -> bool {
        let sum = Linear { constant: Rat::ZERO, ..sum.clone() };
        self.numbers.get(&(loc, sum)).is_some_and(|numbers| numbers.len() > FEW)
    }

    /// Takes down the atoms of an explanation at a location; whether one of them repeats earlier ones with another number.
    /// `is_discrete` tells of an atom that it speaks of nothing but variables that take few values.
    pub fn note(
        &mut self,
        terms: &Terms,
        loc: LocId,
        atoms: &[TermId],
        is_discrete: impl Fn(TermId) -> bool,
    ) -> bool {
        let mut repeats = false;
        for atom in atoms {
            let Some(literal) = terms.linear_literal(*atom) else { continue };
            if is_discrete(*atom) {
                continue;
            }
            let sum = Linear { constant: Rat::ZERO, ..literal.linear.clone() };
            let numbers = self.numbers.entry((loc, sum)).or_default();
            repeats |= numbers.insert(literal.linear.constant) && numbers.len() > FEW;
        }
        repeats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craig_logic::Sort;

    #[test]
    fn a_third_number_beside_a_sum_is_a_repetition() {
        let t = Terms::new();
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        let (here, there) = (LocId::from_raw(3), LocId::from_raw(4));
        let mut repetition = Repetition::default();
        let mut note = |loc, atom| repetition.note(&t, loc, &[atom], |_| false);
        assert!(!note(here, t.le(x, t.int(1))));
        assert!(!note(here, t.le(x, t.int(2))));
        assert!(!note(here, t.le(y, t.int(3))), "another sum");
        assert!(!note(there, t.le(x, t.int(3))), "another location");
        assert!(!note(here, t.le(x, t.int(2))), "nothing new");
        assert!(note(here, t.le(x, t.int(3))));
        assert!(note(here, t.eq(x, t.int(7))));
        assert!(repetition.is_known(here, &t.linear(x)));
        assert!(!repetition.is_known(here, &t.linear(y)) && !repetition.is_known(there, &t.linear(x)));
        // A variable that takes few values runs through them.
        let mut repetition = Repetition::default();
        for n in 0..9 {
            assert!(!repetition.note(&t, here, &[t.eq(x, t.int(n))], |_| true));
        }
    }
}
