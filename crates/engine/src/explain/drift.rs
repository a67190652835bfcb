//! Bounds that count on, and relations that would stop them.
//!
//! Interpolants of longer and longer paths through a loop often are `i <= 1`, `i <= 2`, .. on one path and `k <= 1`, `k <= 2`, ..
//! on another (or on the same): two sums that drift in step, where the invariant is a bound of their difference. When a location has
//! collected enough bounds of two sums with the same distance between one and the next, the difference and the sum (in case that one
//! falls while the other rises) are guessed as predicates, with the bounds that fit what was seen. Where the distance is more than one (`i <= 0`, `i <= 2`, `i <= 4`), so
//! is the remainder that all of these bounds leave. A guess only adds a predicate; whether it holds is for the abstraction to say.

use craig_cfa::LocId;
use craig_logic::{Linear, Rat, Relation, Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many bounds of one sum, and so many of the other, are a drift: the least that shows a step, and shows it twice. Not tuned.
const BOUNDS: (usize, usize) = (3, 2);
/// So many sums of a location are looked at: their pairs are compared at every refinement. Not tuned.
const SUMS: usize = 8;

/// The bounds of a sum, ascending.
#[derive(Debug)]
struct Sum {
    linear: Linear,
    bounds: Vec<Rat>,
}

impl Sum {
    fn add(&mut self, bound: Rat) {
        if let Err(at) = self.bounds.binary_search(&bound) {
            self.bounds.insert(at, bound);
        }
    }

    /// The distance between the first bounds, if it is the same between all that count.
    fn step(&self) -> Option<Rat> {
        let [a, b, rest @ ..] = self.bounds.as_slice() else { return None };
        let step = b - a;
        rest.first().is_none_or(|c| c - b == step).then_some(step)
    }

    /// A number above one and the remainder that all bounds leave when they are divided by it. One bound more than a relation asks for: short loops
    /// that count in steps need no remainder.
    fn remainder(&self) -> Option<(Rat, Rat)> {
        let step = self.step().filter(|step| *step > Rat::ONE && self.bounds.len() > BOUNDS.0)?;
        let remainder = self.bounds[0].div_mod(&step).1;
        self.bounds.iter().all(|b| b.div_mod(&step).1 == remainder).then_some((step, remainder))
    }
}

/// What drifts where.
#[derive(Debug, Default)]
pub struct Drift {
    sums: FxHashMap<LocId, Vec<Sum>>,
    /// Pairs of sums about which a guess was made; a sum and itself for a remainder.
    guessed: FxHashSet<(LocId, usize, usize)>,
}

impl Drift {
    /// Takes down the atoms that a refinement found for a location; returns the atoms that it makes worth a try.
    pub fn note(&mut self, terms: &Terms, loc: LocId, atoms: &[TermId]) -> Vec<TermId> {
        let sums = self.sums.entry(loc).or_default();
        for atom in atoms {
            let Some(literal) = terms.linear_literal(*atom) else { continue };
            if literal.relation != Relation::Le || literal.sort != Sort::Int {
                continue;
            }
            let bound = -literal.linear.constant.clone();
            let linear = Linear { constant: Rat::ZERO, ..literal.linear };
            match sums.iter().position(|s| s.linear == linear) {
                Some(i) => sums[i].add(bound),
                None if sums.len() < SUMS => sums.push(Sum { linear, bounds: vec![bound] }),
                None => {}
            }
        }
        let mut guesses = Vec::new();
        for i in 0..sums.len() {
            if let Some((modulus, remainder)) = sums[i].remainder()
                && self.guessed.insert((loc, i, i))
            {
                let sum = terms.from_linear(&sums[i].linear, Sort::Int);
                let [modulus, remainder] = [modulus, remainder].map(|n| terms.numeral(&n, Sort::Int));
                guesses.push(terms.eq(terms.modulo(sum, modulus), remainder));
            }
            for j in 0..i {
                let found = relations(&sums[i], &sums[j]);
                if found.is_empty() || !self.guessed.insert((loc, i, j)) {
                    continue;
                }
                for found in found {
                    // Bounds may come from either side of the drift: their neighbours are tried too.
                    for shift in [-1, 0, 1] {
                        let constant = &found.constant + &Rat::from(shift);
                        guesses.push(terms.le_zero(&Linear { constant, ..found.clone() }, Sort::Int, false));
                    }
                }
            }
        }
        guesses
    }
}

/// The difference of two sums that drift in step, and their sum in case that one falls while the other rises; each as
/// `combination <= 0`. Empty if they do not.
fn relations(a: &Sum, b: &Sum) -> Vec<Linear> {
    let (more, fewer) = (a.bounds.len().max(b.bounds.len()), a.bounds.len().min(b.bounds.len()));
    if more < BOUNDS.0 || fewer < BOUNDS.1 || a.step().is_none() || a.step() != b.step() {
        return Vec::new();
    }
    let [Some(lowest), Some(opposite)] = [b.bounds.first(), b.bounds.get(BOUNDS.1 - 1)] else {
        return Vec::new();
    };
    let combined = |factor: Rat, bound: &Rat| {
        let mut sum = a.linear.plus(&factor, &b.linear);
        sum.constant = -(&a.bounds[0] + &(&factor * bound));
        sum
    };
    let mut found = vec![combined(Rat::MINUS_ONE, lowest), combined(Rat::ONE, opposite)];
    found.retain(|f| !f.is_constant());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_drift_in_step_are_related() {
        let t = Terms::new();
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        let loc = LocId::from_raw(7);
        let mut drift = Drift::default();
        // Not with the same step.
        for n in 0..3 {
            assert!(drift.note(&t, loc, &[t.le(x, t.int(n)), t.le(y, t.int(n * n))]).is_empty());
        }
        let z = t.symbol("z", Sort::Int);
        let bounds: Vec<TermId> = [6, 5].iter().map(|n| t.le(z, t.int(*n))).collect();
        let guesses = drift.note(&t, loc, &bounds);
        assert!(guesses.contains(&t.le(t.sub(z, x), t.int(5))), "{guesses:?}");
        assert!(guesses.contains(&t.le(t.add(z, x), t.int(6))), "{guesses:?}");
        assert_eq!(guesses.len(), 6);
        assert!(drift.note(&t, loc, &bounds).is_empty(), "once is enough");
    }

    #[test]
    fn bounds_in_steps_leave_a_remainder() {
        let t = Terms::new();
        let x = t.symbol("x", Sort::Int);
        let loc = LocId::from_raw(7);
        let mut drift = Drift::default();
        let mut note = |n| drift.note(&t, loc, &[t.le(x, t.int(n))]);
        assert!(note(1).is_empty());
        assert!(note(4).is_empty());
        assert!(note(7).is_empty(), "few");
        assert_eq!(note(10), [t.eq(t.modulo(x, t.int(3)), t.int(1))]);
        assert!(note(13).is_empty(), "once is enough");
        let mut drift = Drift::default();
        for n in 0..5 {
            assert!(drift.note(&t, loc, &[t.le(x, t.int(n))]).is_empty(), "every number leaves it");
        }
    }
}
