//! Arithmetic constructors.
//!
//! Normal form: sums are linear sums ([`Linear`]) with the constant last; comparisons are `sum <= number`,
//! `sum = number` (reals also `sum < number`) with coprime integer coefficients of which the first is positive;
//! the other direction is a negation (`x >= 1` over the integers is `not (x <= 0)`), so that a predicate and its
//! negation share their atom.

use crate::linear::Linear;
use crate::num::Rat;
use crate::sort::Sort;
use crate::term::{Args, Op, TermId, Terms};

impl Terms {
    pub fn add(&self, a: TermId, b: TermId) -> TermId {
        self.combine(a, &Rat::ONE, b)
    }

    pub fn sub(&self, a: TermId, b: TermId) -> TermId {
        self.combine(a, &Rat::MINUS_ONE, b)
    }

    fn combine(&self, a: TermId, factor: &Rat, b: TermId) -> TermId {
        let sort = self.sort(a);
        debug_assert!(sort == self.sort(b) && sort.is_arithmetic());
        let sum = self.linear(a).plus(factor, &self.linear(b));
        self.from_linear(&sum, sort)
    }

    /// Sum of terms of the given sort (which matters when there are none).
    pub fn sum(&self, args: impl IntoIterator<Item = TermId>, sort: Sort) -> TermId {
        let sum = args.into_iter().fold(Linear::default(), |s, a| s.plus(&Rat::ONE, &self.linear(a)));
        self.from_linear(&sum, sort)
    }

    pub fn neg(&self, a: TermId) -> TermId {
        self.scale(&Rat::MINUS_ONE, a)
    }

    /// `factor * a`; over the integers the factor must be one.
    pub fn scale(&self, factor: &Rat, a: TermId) -> TermId {
        self.from_linear(&self.linear(a).scaled(factor), self.sort(a))
    }

    /// Product. Numbers are folded and distributed over sums; the rest is non-linear, with factors ascending.
    pub fn mul(&self, a: TermId, b: TermId) -> TermId {
        let sort = self.sort(a);
        debug_assert!(sort == self.sort(b) && sort.is_arithmetic());
        if let Some(n) = self.number(a) {
            return self.scale(&n, b);
        }
        if let Some(n) = self.number(b) {
            return self.scale(&n, a);
        }
        let mut factor = Rat::ONE;
        let mut factors = Args::new();
        for side in [a, b] {
            let linear = self.linear(side);
            match linear.terms.as_slice() {
                [(monomial, coefficient)] if linear.constant.is_zero() => {
                    factor = &factor * coefficient;
                    if self.op(*monomial) == Op::Mul {
                        factors.extend(self.args(*monomial));
                    } else {
                        factors.push(*monomial);
                    }
                }
                _ => factors.push(side),
            }
        }
        factors.sort_unstable();
        let product = self.mk(Op::Mul, &factors, sort);
        self.scale(&factor, product)
    }

    /// Quotient. Over the integers it is Euclidean (the remainder is not negative), over the reals exact, and there
    /// the divisor must be a number other than zero.
    pub fn div(&self, a: TermId, b: TermId) -> TermId {
        let sort = self.sort(a);
        debug_assert!(sort == self.sort(b) && sort.is_arithmetic());
        let divisor = self.number(b).filter(|d| !d.is_zero());
        if sort == Sort::Real {
            let divisor = divisor.expect("division of reals by a number other than zero");
            return self.scale(&divisor.recip(), a);
        }
        if let Some(d) = divisor {
            if d.is_negative() {
                return self.neg(self.div(a, self.numeral(&-d, sort)));
            }
            if d.is_one() {
                return a;
            }
            if let Some(n) = self.number(a) {
                return self.numeral(&n.div_mod(&d).0, sort);
            }
        }
        self.mk(Op::Div, &[a, b], sort)
    }

    /// Euclidean remainder of integers.
    pub fn modulo(&self, a: TermId, b: TermId) -> TermId {
        debug_assert!(self.sort(a) == Sort::Int && self.sort(b) == Sort::Int);
        if let Some(d) = self.number(b).filter(|d| !d.is_zero()) {
            let d = d.abs();
            if d.is_one() {
                return self.int(0);
            }
            // Only the residues of coefficients and constant matter.
            let mut linear = self.linear(a);
            linear.constant = linear.constant.div_mod(&d).1;
            for (_, c) in &mut linear.terms {
                *c = c.div_mod(&d).1;
            }
            linear.terms.retain(|(_, c)| !c.is_zero());
            if linear.is_constant() {
                return self.numeral(&linear.constant, Sort::Int);
            }
            let reduced = self.from_linear(&linear, Sort::Int);
            return self.mk(Op::Mod, &[reduced, self.numeral(&d, Sort::Int)], Sort::Int);
        }
        self.mk(Op::Mod, &[a, b], Sort::Int)
    }

    /// C's division: rounds towards zero.
    pub fn div_trunc(&self, a: TermId, b: TermId) -> TermId {
        if let (Some(x), Some(y)) = (self.number(a), self.number(b))
            && !y.is_zero()
        {
            let q = &x / &y;
            return self.numeral(&if q.is_negative() { q.ceil() } else { q.floor() }, Sort::Int);
        }
        // Euclidean division rounds towards zero for a dividend that is not negative.
        let positive = self.ge(a, self.int(0));
        self.ite(positive, self.div(a, b), self.neg(self.div(self.neg(a), b)))
    }

    /// C's remainder: has the sign of the dividend.
    pub fn rem_trunc(&self, a: TermId, b: TermId) -> TermId {
        let positive = self.ge(a, self.int(0));
        self.ite(positive, self.modulo(a, b), self.neg(self.modulo(self.neg(a), b)))
    }

    /// An integer as a real.
    pub fn to_real(&self, a: TermId) -> TermId {
        let linear = self.linear(a);
        let terms = linear.terms.iter().map(|(m, c)| (self.mk(Op::ToReal, &[*m], Sort::Real), c.clone()));
        let mut real = Linear { terms: terms.collect(), constant: linear.constant.clone() };
        real.terms.sort_by_key(|(m, _)| *m);
        self.from_linear(&real, Sort::Real)
    }

    pub fn le(&self, a: TermId, b: TermId) -> TermId {
        self.compare(a, b, false)
    }

    pub fn lt(&self, a: TermId, b: TermId) -> TermId {
        self.compare(a, b, true)
    }

    pub fn ge(&self, a: TermId, b: TermId) -> TermId {
        self.compare(b, a, false)
    }

    pub fn gt(&self, a: TermId, b: TermId) -> TermId {
        self.compare(b, a, true)
    }

    fn compare(&self, a: TermId, b: TermId, strict: bool) -> TermId {
        let sort = self.sort(a);
        debug_assert!(sort == self.sort(b) && sort.is_arithmetic());
        let difference = self.linear(a).plus(&Rat::MINUS_ONE, &self.linear(b));
        self.le_zero(&difference, sort, strict)
    }

    pub(crate) fn eq_linear(&self, a: TermId, b: TermId) -> TermId {
        let difference = self.linear(a).plus(&Rat::MINUS_ONE, &self.linear(b));
        self.eq_zero(&difference, self.sort(a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(build: impl Fn(&Terms, TermId, TermId) -> TermId, smt: &str) {
        let t = Terms::new();
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        assert_eq!(t.smt(build(&t, x, y)), smt);
    }

    #[test]
    fn atoms_are_coprime_and_non_strict() {
        check(|t, x, y| t.lt(t.add(x, x), t.add(y, y)), "(<= (+ x (* (- 1) y)) (- 1))");
        check(|t, x, _| t.ge(x, t.int(1)), "(not (<= x 0))");
        check(|t, x, _| t.le(t.scale(&Rat::from(2), x), t.int(5)), "(<= x 2)");
        check(|t, x, _| t.eq(t.scale(&Rat::from(2), x), t.int(5)), "false");
        check(|t, x, y| t.eq(t.neg(x), t.neg(y)), "(= (+ x (* (- 1) y)) 0)");
        check(|t, x, _| t.le(x, x), "true");
        check(|t, x, _| t.lt(t.add(x, t.int(1)), x), "false");
    }

    #[test]
    fn a_predicate_and_its_negation_share_their_atom() {
        let t = Terms::new();
        let (x, y) = (t.symbol("x", Sort::Real), t.symbol("y", Sort::Real));
        assert_eq!(t.lt(x, y), t.not(t.ge(x, y)));
        assert_eq!(t.le(x, y), t.not(t.lt(y, x)));
        let (i, j) = (t.symbol("i", Sort::Int), t.symbol("j", Sort::Int));
        assert_eq!(t.lt(i, j), t.not(t.ge(i, j)));
        assert_eq!(t.atom(t.ge(i, t.int(1))).0, t.atom(t.le(i, t.int(0))).0);
    }

    #[test]
    fn sums_and_products_fold() {
        check(|t, x, y| t.sub(t.add(x, y), y), "x");
        check(|t, x, y| t.sub(t.add(x, t.int(3)), t.add(y, t.int(3))), "(+ x (* (- 1) y))");
        check(|t, x, _| t.mul(t.add(x, t.int(1)), t.int(2)), "(+ (* 2 x) 2)");
        check(|t, x, y| t.sub(t.mul(x, y), t.mul(y, x)), "0");
        check(|t, x, y| t.mul(t.neg(x), y), "(* (- 1) (* x y))");
        check(|t, x, _| t.modulo(t.add(x, t.add(x, t.int(7))), t.int(2)), "1");
        check(|t, x, _| t.div(x, t.int(-3)), "(* (- 1) (div x 3))");
        check(|t, _, _| t.div_trunc(t.int(-7), t.int(2)), "(- 3)");
        check(|t, _, _| t.rem_trunc(t.int(-7), t.int(2)), "(- 1)");
    }

    #[test]
    fn literals_come_back_as_linear_sums() {
        let t = Terms::new();
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        for literal in [t.lt(x, y), t.ge(x, y), t.eq(x, t.int(4)), t.distinct(x, y), t.gt(x, t.int(2))] {
            assert_eq!(t.linear_literal(literal).unwrap().to_term(&t), literal);
        }
        assert!(t.linear_literal(t.symbol("p", Sort::Bool)).is_none());
    }
}
