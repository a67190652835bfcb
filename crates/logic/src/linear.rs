//! Linear sums: the normal form behind arithmetic terms and atoms.

use crate::num::Rat;
use crate::sort::Sort;
use crate::term::{Args, Op, TermId, Terms};
use smallvec::SmallVec;

/// `sum of coefficient * monomial, plus constant`. Monomials are terms that are neither sums, numbers nor multiples;
/// they ascend, and no coefficient is zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Linear {
    pub terms: SmallVec<[(TermId, Rat); 4]>,
    pub constant: Rat,
}

impl Default for Linear {
    fn default() -> Self {
        Linear::constant(Rat::ZERO)
    }
}

impl Linear {
    pub fn constant(value: Rat) -> Linear {
        Linear { terms: SmallVec::new(), constant: value }
    }

    pub fn monomial(term: TermId) -> Linear {
        Linear { terms: SmallVec::from_iter([(term, Rat::ONE)]), constant: Rat::ZERO }
    }

    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// The coefficient of a monomial; zero when it does not occur.
    pub fn coefficient(&self, monomial: TermId) -> Rat {
        match self.terms.binary_search_by_key(&monomial, |(m, _)| *m) {
            Ok(i) => self.terms[i].1.clone(),
            Err(_) => Rat::ZERO,
        }
    }

    /// `self + factor * other`.
    #[must_use]
    pub fn plus(&self, factor: &Rat, other: &Linear) -> Linear {
        let mut terms: SmallVec<[(TermId, Rat); 4]> = SmallVec::new();
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            match (a.peek(), b.peek()) {
                (Some((m, c)), Some((n, d))) if m == n => {
                    let sum = if factor.is_one() { c + d } else { c + &(factor * d) };
                    if !sum.is_zero() {
                        terms.push((*m, sum));
                    }
                    a.next();
                    b.next();
                }
                (Some((m, c)), other) if other.is_none_or(|(n, _)| m < n) => {
                    terms.push((*m, c.clone()));
                    a.next();
                }
                (_, Some((n, d))) => {
                    terms.push((*n, if factor.is_one() { d.clone() } else { factor * d }));
                    b.next();
                }
                (_, None) => break,
            }
        }
        if factor.is_zero() {
            terms.retain(|(_, c)| !c.is_zero());
        }
        Linear { terms, constant: &self.constant + &(factor * &other.constant) }
    }

    #[must_use]
    pub fn scaled(&self, factor: &Rat) -> Linear {
        if factor.is_one() {
            return self.clone();
        }
        if factor.is_zero() {
            return Linear::default();
        }
        Linear {
            terms: self.terms.iter().map(|(m, c)| (*m, c * factor)).collect(),
            constant: &self.constant * factor,
        }
    }

    /// The positive factor that makes the coefficients (not the constant) coprime integers.
    pub fn content_inverse(&self) -> Rat {
        if self.terms.iter().any(|(_, c)| c.is_one() || c.is_minus_one())
            && self.terms.iter().all(|(_, c)| c.is_integer())
        {
            return Rat::ONE;
        }
        let mut den = Rat::ONE;
        for (_, c) in &self.terms {
            den = den.lcm(&c.den());
        }
        let mut gcd = Rat::ZERO;
        for (_, c) in &self.terms {
            gcd = gcd.gcd(&(c * &den));
        }
        if gcd.is_zero() { Rat::ONE } else { den / gcd }
    }
}

impl Terms {
    /// The term as a linear sum. Every arithmetic term is one, if need be with itself as the only monomial.
    pub fn linear(&self, term: TermId) -> Linear {
        match self.op(term) {
            Op::Num(_) | Op::BigNum(_) => Linear::constant(self.number(term).expect("a number")),
            Op::Add => {
                let mut result = Linear::default();
                for arg in self.args(term) {
                    match self.op(arg) {
                        Op::Num(_) | Op::BigNum(_) => result.constant = self.number(arg).expect("a number"),
                        _ => result.terms.push(self.multiple(arg)),
                    }
                }
                result
            }
            _ => Linear { terms: SmallVec::from_iter([self.multiple(term)]), constant: Rat::ZERO },
        }
    }

    fn multiple(&self, term: TermId) -> (TermId, Rat) {
        if self.op(term) == Op::Mul
            && let Some(factor) = self.number(self.arg(term, 0))
        {
            return (self.arg(term, 1), factor);
        }
        (term, Rat::ONE)
    }

    /// The term of a linear sum.
    pub fn from_linear(&self, linear: &Linear, sort: Sort) -> TermId {
        let mut args = Args::new();
        for (monomial, factor) in &linear.terms {
            args.push(if factor.is_one() {
                *monomial
            } else {
                self.mk(Op::Mul, &[self.numeral(factor, sort), *monomial], sort)
            });
        }
        if !linear.constant.is_zero() || args.is_empty() {
            args.push(self.numeral(&linear.constant, sort));
        }
        if args.len() == 1 { args[0] } else { self.mk(Op::Add, &args, sort) }
    }

    /// The atom `linear <= 0`, or `linear < 0` if `strict`.
    pub fn le_zero(&self, linear: &Linear, sort: Sort, strict: bool) -> TermId {
        if linear.is_constant() {
            return self.bool(linear.constant.is_negative() || !strict && linear.constant.is_zero());
        }
        if let Some(simpler) = self.ite_atom(linear, |v| v.is_negative() || !strict && v.is_zero()) {
            return simpler;
        }
        let linear = self.coprime(linear);
        let bound = -&linear.constant;
        let positive = linear.terms[0].1.is_positive();
        if sort == Sort::Int {
            // sum < b is sum <= ceil(b) - 1; sum <= b is sum <= floor(b).
            let bound = if strict { bound.ceil() - Rat::ONE } else { bound.floor() };
            if positive {
                return self.mk_bound(Op::Le, &linear, &bound, sort);
            }
            // -s <= b  iff  s >= -b  iff  not (s <= -b - 1)
            let bound = -bound - Rat::ONE;
            return self.not(self.mk_bound(Op::Le, &linear.scaled(&Rat::MINUS_ONE), &bound, sort));
        }
        if positive {
            return self.mk_bound(if strict { Op::Lt } else { Op::Le }, &linear, &bound, sort);
        }
        let op = if strict { Op::Le } else { Op::Lt };
        self.not(self.mk_bound(op, &linear.scaled(&Rat::MINUS_ONE), &-bound, sort))
    }

    /// The atom `linear = 0`.
    pub fn eq_zero(&self, linear: &Linear, sort: Sort) -> TermId {
        if linear.is_constant() {
            return self.bool(linear.constant.is_zero());
        }
        if let Some(simpler) = self.ite_atom(linear, Rat::is_zero) {
            return simpler;
        }
        let mut linear = self.coprime(linear);
        if linear.terms[0].1.is_negative() {
            linear = linear.scaled(&Rat::MINUS_ONE);
        }
        let bound = -&linear.constant;
        if sort == Sort::Int && !bound.is_integer() {
            return self.fls();
        }
        self.mk_bound(Op::Eq, &linear, &bound, sort)
    }

    fn coprime(&self, linear: &Linear) -> Linear {
        linear.scaled(&linear.content_inverse())
    }

    fn mk_bound(&self, op: Op, linear: &Linear, bound: &Rat, sort: Sort) -> TermId {
        let sum = Linear { terms: linear.terms.clone(), constant: Rat::ZERO };
        let sum = self.from_linear(&sum, sort);
        self.mk(op, &[sum, self.numeral(bound, sort)], Sort::Bool)
    }

    /// An atom over a single `ite(c, k1, k2)` with numbers is the condition, its negation or a constant.
    fn ite_atom(&self, linear: &Linear, holds: impl Fn(&Rat) -> bool) -> Option<TermId> {
        let [(monomial, factor)] = linear.terms.as_slice() else { return None };
        if self.op(*monomial) != Op::Ite {
            return None;
        }
        let args = self.args(*monomial);
        let (a, b) = (self.number(args[1])?, self.number(args[2])?);
        let value = |n: &Rat| holds(&(&(n * factor) + &linear.constant));
        Some(self.choose(args[0], value(&a), value(&b)))
    }

    /// A literal of linear arithmetic as `linear rel 0`: `(linear, relation, negated?)` resolved for inequalities.
    /// `None` for anything else.
    pub fn linear_literal(&self, literal: TermId) -> Option<LinearLiteral> {
        let (atom, positive) = self.atom(literal);
        let op = self.op(atom);
        if !matches!(op, Op::Le | Op::Lt | Op::Eq) {
            return None;
        }
        let lhs = self.arg(atom, 0);
        let sort = self.sort(lhs);
        if !sort.is_arithmetic() {
            return None;
        }
        let mut linear = self.linear(lhs);
        linear.constant = -self.number(self.arg(atom, 1)).expect("an arithmetic atom ends with a number");
        let minus = Rat::MINUS_ONE;
        let relation = match (op, positive, sort) {
            (Op::Eq, true, _) => Relation::Eq,
            (Op::Eq, false, _) => Relation::Ne,
            (Op::Le, true, _) => Relation::Le,
            (Op::Lt, true, _) => Relation::Lt,
            (Op::Le, false, Sort::Int) => {
                // not (s <= b)  iff  b + 1 - s <= 0
                linear = linear.scaled(&minus);
                linear.constant = linear.constant + Rat::ONE;
                Relation::Le
            }
            (_, false, _) => {
                linear = linear.scaled(&minus);
                if op == Op::Le { Relation::Lt } else { Relation::Le }
            }
            _ => return None,
        };
        Some(LinearLiteral { linear, relation, sort })
    }
}

/// How a [`LinearLiteral`] compares with zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    Eq,
    Ne,
    Le,
    /// Only for reals: integers are made non-strict.
    Lt,
}

/// `linear relation 0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearLiteral {
    pub linear: Linear,
    pub relation: Relation,
    pub sort: Sort,
}

impl LinearLiteral {
    pub fn to_term(&self, terms: &Terms) -> TermId {
        match self.relation {
            Relation::Eq => terms.eq_zero(&self.linear, self.sort),
            Relation::Ne => terms.not(terms.eq_zero(&self.linear, self.sort)),
            Relation::Le => terms.le_zero(&self.linear, self.sort, false),
            Relation::Lt => terms.le_zero(&self.linear, self.sort, true),
        }
    }
}

/// The kernel of a matrix: weights of the columns with which their sum is zero in every row. Each column that depends on those before it gives one, which has no other such
/// column: relations between few come out as they are if the simple columns stand first.
pub fn kernel(columns: &[&[Rat]]) -> Vec<Vec<Rat>> {
    let rows = columns.first().map_or(0, |c| c.len());
    let mut matrix: Vec<Vec<Rat>> =
        (0..rows).map(|r| columns.iter().map(|c| c[r].clone()).collect()).collect();
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..columns.len() {
        let row = pivots.len();
        let Some(found) = (row..rows).find(|r| !matrix[*r][column].is_zero()) else { continue };
        matrix.swap(row, found);
        let inverse = matrix[row][column].recip();
        matrix[row].iter_mut().for_each(|x| *x = &*x * &inverse);
        let pivot = matrix[row].clone();
        for (r, other) in matrix.iter_mut().enumerate() {
            let factor = other[column].clone();
            if r != row && !factor.is_zero() {
                other.iter_mut().zip(&pivot).for_each(|(x, p)| *x = &*x - &(&factor * p));
            }
        }
        pivots.push(column);
    }
    let free = (0..columns.len()).filter(|c| !pivots.contains(c));
    let weights = |free: usize| {
        let mut weights = vec![Rat::ZERO; columns.len()];
        weights[free] = Rat::ONE;
        for (row, pivot) in pivots.iter().enumerate() {
            weights[*pivot] = -&matrix[row][free];
        }
        weights
    };
    free.map(weights).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_motions_keep() {
        let row = |numbers: &[i64]| numbers.iter().map(|n| Rat::from(*n)).collect::<Vec<_>>();
        // x by 1, y by 2: y - 2x stays.
        let (x, y) = (row(&[1, 1]), row(&[2, 2]));
        assert_eq!(kernel(&[&x, &y]), [row(&[-2, 1])]);
        // (1, 2, 1) and (2, 1, 1): a + b - 3c stays.
        let (a, b, c) = (row(&[1, 2, 1]), row(&[2, 1, 2]), row(&[1, 1, 1]));
        let found = kernel(&[&a, &b, &c]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0][0], found[0][1]);
        assert_eq!(&found[0][0] * &Rat::from(-3), found[0][2]);
        assert_eq!(kernel(&[&a, &b]), Vec::<Vec<Rat>>::new());
        assert_eq!(kernel(&[]), Vec::<Vec<Rat>>::new());
    }
}
