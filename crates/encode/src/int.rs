//! Machine arithmetic on mathematical integers.
//!
//! A machine integer is an integer term within the bounds of its type. Sums and differences that may leave the type by at most one
//! turn are brought back by a case split; products and narrowing conversions by a quotient (a bounded case split for
//! `+` and `-`, a quotient variable only for products). Signed operations are taken not to overflow unless `wrap` asks
//! for it. Division by zero and shifts by too much give an arbitrary value.
//!
//! Bit operations with a constant mask or shift are linear: `x & (2^k - 1)` is a remainder, a run of ones in the mask a quotient and a
//! remainder. The others are cut out with axioms that hold of them; a proof may need more than these say, and a counterexample is
//! replayed.

use crate::part::{Cut, Part, number};
use crate::range::Range;
use craig_cfa::{BinOp, IntTy, UnOp};
use craig_logic::{Rat, Sort, TermId, Terms};

/// Powers of two from this one on are not computed with.
const WIDEST: i128 = 127;

/// An operand: its term and bounds.
#[derive(Debug, Clone, Copy)]
pub struct Operand {
    pub term: TermId,
    pub range: Range,
}

/// Encodes one operation after another into a part.
#[derive(Debug)]
pub struct Int<'a> {
    pub terms: &'a Terms,
    pub part: &'a mut Part,
    /// Signed operations wrap around.
    pub wrap: bool,
}

impl Int<'_> {
    /// The value of the type that is equal to `value` modulo two to its width.
    pub fn wrapped(&mut self, value: Operand, ty: IntTy) -> TermId {
        let (t, Operand { term, range }) = (self.terms, value);
        let Some(bounds) = Range::of(ty) else {
            // The widest types: exact only where nothing can wrap around.
            return if range.within(Range::new(0, i128::MAX / 2)) { term } else { self.arbitrary(ty) };
        };
        if range.within(bounds) {
            return term;
        }
        let modulus = 1i128 << ty.width;
        if range.low >= bounds.low - modulus && range.high <= bounds.high + modulus {
            let mut result = term;
            if range.high > bounds.high {
                let above = t.gt(term, number(t, bounds.high));
                result = t.ite(above, t.sub(term, number(t, modulus)), result);
            }
            if range.low < bounds.low {
                let below = t.lt(term, number(t, bounds.low));
                result = t.ite(below, t.add(term, number(t, modulus)), result);
            }
            return result;
        }
        self.modulo(term, bounds, modulus)
    }

    /// term = modulus * q + result, with the result in the bounds, which are so far apart.
    fn modulo(&mut self, term: TermId, bounds: Range, modulus: i128) -> TermId {
        let t = self.terms;
        let shifted = t.sub(term, number(t, bounds.low));
        let remainder = self.remainder(shifted, modulus);
        t.add(remainder, number(t, bounds.low))
    }

    /// The Euclidean quotient of a term by a positive number.
    fn quotient(&mut self, term: TermId, divisor: i128) -> TermId {
        let t = self.terms;
        if divisor == 1 {
            return term;
        }
        if let Some(n) = t.number(term) {
            return t.numeral(&n.div_mod(&Rat::from_ibig(divisor.into())).0, Sort::Int);
        }
        let d = number(t, divisor);
        let (q, new) = self.part.cut(t, Cut::Quotient, term, d);
        if new {
            let rest = t.sub(term, t.scale(&Rat::from_ibig(divisor.into()), q));
            self.part.bound(t, rest, 0, divisor - 1);
        }
        q
    }

    /// The Euclidean remainder of a term by a positive number.
    fn remainder(&mut self, term: TermId, divisor: i128) -> TermId {
        let q = self.quotient(term, divisor);
        self.terms.sub(term, self.terms.scale(&Rat::from_ibig(divisor.into()), q))
    }

    fn arbitrary(&mut self, ty: IntTy) -> TermId {
        let symbol = self.terms.fresh("any", Sort::Int);
        if let Some(Range { low, high }) = Range::of(ty) {
            self.part.bound(self.terms, symbol, low, high);
        }
        symbol
    }

    pub fn unary(&mut self, op: UnOp, a: Operand, ty: IntTy) -> TermId {
        let t = self.terms;
        match op {
            UnOp::Neg => self.binary(BinOp::Sub, Operand { term: t.int(0), range: Range::exactly(0) }, a, ty),
            // -1 - a, and for unsigned values the largest value minus a.
            UnOp::BitNot => {
                let ones = Rat::from_ibig(craig_cfa::arith::mask(ty.width).into());
                let top = if ty.signed { t.int(-1) } else { t.numeral(&ones, Sort::Int) };
                t.sub(top, a.term)
            }
            UnOp::Not => t.not(a.term),
        }
    }

    /// Arithmetic, bit operations and shifts on values of one type (the amount of a shift may be of another).
    pub fn binary(&mut self, op: BinOp, a: Operand, b: Operand, ty: IntTy) -> TermId {
        let t = self.terms;
        match op {
            BinOp::Add => self.fitted(t.add(a.term, b.term), a.range.plus(b.range), ty),
            BinOp::Sub => self.fitted(t.sub(a.term, b.term), a.range.minus(b.range), ty),
            BinOp::Mul => {
                let (a, b) = (self.centred(a, ty), self.centred(b, ty));
                self.fitted(t.mul(a.term, b.term), a.range.times(b.range), ty)
            }
            BinOp::Div => {
                let q = self.division(a, b, ty);
                self.fitted(q, quotients(ty), ty)
            }
            BinOp::Rem => {
                let q = self.division(a, b, ty);
                t.sub(a.term, t.mul(q, b.term))
            }
            BinOp::EDiv => t.div(a.term, b.term),
            BinOp::ERem => t.modulo(a.term, b.term),
            BinOp::Shl | BinOp::Shr => self.shift(op, a, b, ty),
            BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => self.bitwise(op, a, b, ty),
            _ => unreachable!("{op:?} is not arithmetic"),
        }
    }

    /// A constant factor of an unsigned product, near zero: `x * 0xffffffff` is `x * -1` modulo the width.
    fn centred(&self, factor: Operand, ty: IntTy) -> Operand {
        match Range::of(ty) {
            Some(bounds)
                if factor.range.low == factor.range.high
                    && factor.range.low > bounds.high / 2
                    && !ty.signed =>
            {
                let value = factor.range.low - bounds.high - 1;
                Operand { term: number(self.terms, value), range: Range::exactly(value) }
            }
            _ => factor,
        }
    }

    /// An exact result brought into its type; a signed one is in it by assumption.
    fn fitted(&mut self, exact: TermId, range: Option<Range>, ty: IntTy) -> TermId {
        if ty.signed && !self.wrap {
            return exact;
        }
        match (range, Range::of(ty)) {
            (Some(range), _) => self.wrapped(Operand { term: exact, range }, ty),
            // A product of 64 bits each: farther out than a range can say.
            (None, Some(bounds)) => self.modulo(exact, bounds, 1 << ty.width),
            (None, None) => self.arbitrary(ty),
        }
    }

    /// C's exact quotient, rounded towards zero. Only that of the smallest value by -1 leaves the type.
    fn division(&mut self, a: Operand, b: Operand, ty: IntTy) -> TermId {
        let t = self.terms;
        let divisor = (b.range.low == b.range.high).then_some(b.range.low);
        match divisor {
            Some(0) => self.arbitrary(ty),
            Some(d) if d > 0 && a.range.low >= 0 => self.quotient(a.term, d),
            Some(d) if d > 0 => {
                // Of a negative dividend the Euclidean quotient of its opposite, negated.
                let up = self.quotient(a.term, d);
                let down = self.quotient(t.neg(a.term), d);
                t.ite(t.ge(a.term, t.int(0)), up, t.neg(down))
            }
            Some(d) => {
                let opposite = Operand { term: number(t, -d), range: Range::exactly(-d) };
                t.neg(self.division(a, opposite, ty))
            }
            None => self.division_by_variable(a, b, ty),
        }
    }

    fn division_by_variable(&mut self, a: Operand, b: Operand, ty: IntTy) -> TermId {
        let t = self.terms;
        let (q, new) = self.part.cut(t, Cut::Truncated, a.term, b.term);
        if new {
            // b != 0 implies a = b * q + r, |r| < |b|, r has the sign of a.
            let zero = t.int(0);
            let nonzero = t.distinct(b.term, zero);
            let product = t.mul(b.term, q);
            let r = t.sub(a.term, product);
            let size = t.ite(t.ge(b.term, zero), b.term, t.neg(b.term));
            let positive = t.and([t.ge(a.term, zero), t.le(zero, r), t.lt(r, size)]);
            let negative = t.and([t.lt(a.term, zero), t.le(r, zero), t.lt(t.neg(r), size)]);
            self.part.require(t, t.implies(nonzero, t.or([positive, negative])));
            if let Some(Range { low, high }) = quotients(ty) {
                self.part.bound(t, q, low, high);
            }
        }
        q
    }

    fn shift(&mut self, op: BinOp, a: Operand, n: Operand, ty: IntTy) -> TermId {
        let t = self.terms;
        let width = i128::from(ty.width);
        if n.range.low == n.range.high {
            let n = n.range.low;
            if n < 0 || n >= width.min(WIDEST) {
                return self.arbitrary(ty);
            }
            let factor = 1i128 << n;
            if op == BinOp::Shr {
                // Rounds down, as the Euclidean quotient by a positive number does.
                return self.quotient(a.term, factor);
            }
            let exact = t.scale(&Rat::from_ibig(factor.into()), a.term);
            // Bits that leave on the left are lost, for signed values too.
            return match (a.range.times(Range::exactly(factor)), Range::of(ty)) {
                (Some(range), _) => self.wrapped(Operand { term: exact, range }, ty),
                (None, Some(bounds)) => self.modulo(exact, bounds, 1 << ty.width),
                (None, None) => self.arbitrary(ty),
            };
        }
        let amounts = Range::new(n.range.low.max(0), n.range.high.min(width - 1));
        // Few possible amounts: one after the other.
        if amounts.high - amounts.low < 8 && amounts.low <= amounts.high {
            let mut result = self.arbitrary(ty);
            for amount in amounts.low..=amounts.high {
                let constant = Operand { term: number(t, amount), range: Range::exactly(amount) };
                let shifted = self.shift(op, a, constant, ty);
                result = t.ite(t.eq(n.term, number(t, amount)), shifted, result);
            }
            return result;
        }
        let cut = if op == BinOp::Shl { Cut::Shl(ty.width) } else { Cut::Shr(ty.width) };
        let (r, new) = self.part.cut(t, cut, a.term, n.term);
        if new {
            if let Some(Range { low, high }) = Range::of(ty) {
                self.part.bound(t, r, low, high);
            }
            let zero = t.int(0);
            self.part.require(t, t.implies(t.eq(n.term, zero), t.eq(r, a.term)));
            self.part.require(t, t.implies(t.eq(a.term, zero), t.eq(r, zero)));
            if op == BinOp::Shr {
                // Not farther from zero than before (-1 stays).
                let down = t.implies(t.ge(a.term, zero), t.and([t.le(zero, r), t.le(r, a.term)]));
                let up = t.implies(t.lt(a.term, zero), t.and([t.lt(r, zero), t.le(a.term, r)]));
                let in_range = t.and([t.le(zero, n.term), t.lt(n.term, number(t, width))]);
                self.part.require(t, t.implies(in_range, t.and([down, up])));
            }
        }
        r
    }

    fn bitwise(&mut self, op: BinOp, a: Operand, b: Operand, ty: IntTy) -> TermId {
        let constant = |o: Operand| (o.range.low == o.range.high).then_some(o.range.low);
        match (constant(a), constant(b)) {
            (Some(mask), None) => self.masked(op, b, mask, ty).unwrap_or_else(|| self.cut_bits(op, a, b, ty)),
            (None, Some(mask)) => self.masked(op, a, mask, ty).unwrap_or_else(|| self.cut_bits(op, a, b, ty)),
            (Some(x), Some(y)) => {
                let value = match op {
                    BinOp::BitAnd => x & y,
                    BinOp::BitOr => x | y,
                    _ => x ^ y,
                };
                number(self.terms, value)
            }
            (None, None) => self.cut_bits(op, a, b, ty),
        }
    }

    /// With a constant: linear over the runs of ones in the mask. `None` if there are too many.
    fn masked(&mut self, op: BinOp, a: Operand, mask: i128, ty: IntTy) -> Option<TermId> {
        const MOST_RUNS: usize = 4;
        let t = self.terms;
        // x | m = (x & ~m) + m, x ^ m = x + m - 2 * (x & m).
        match op {
            BinOp::BitAnd => {}
            BinOp::BitOr => {
                let all = if ty.signed { -1 } else { Range::of(ty)?.high };
                let rest = self.masked(BinOp::BitAnd, a, all ^ mask, ty)?;
                return Some(t.add(rest, number(t, mask)));
            }
            _ => {
                let both = self.masked(BinOp::BitAnd, a, mask, ty)?;
                // Of a negative mask the sign bit flips: ~(x ^ ~m).
                if mask < 0 {
                    let inner = self.masked(BinOp::BitXor, a, !mask, ty)?;
                    return Some(t.sub(t.int(-1), inner));
                }
                let sum = t.add(a.term, number(t, mask));
                return Some(t.sub(sum, t.scale(&Rat::from(2), both)));
            }
        }
        if mask < 0 {
            // x & m = x - (x & ~m), and ~m is not negative.
            let dropped = self.masked(BinOp::BitAnd, a, !mask, ty)?;
            return Some(t.sub(a.term, dropped));
        }
        let mut result = t.int(0);
        let mut rest = mask;
        let mut runs = 0;
        while rest != 0 {
            runs += 1;
            if runs > MOST_RUNS {
                return None;
            }
            let low = rest.trailing_zeros();
            let len = (!(rest >> low)).trailing_zeros();
            if i128::from(low + len) >= WIDEST {
                return None;
            }
            rest &= !(((1i128 << len) - 1) << low);
            // Bits low .. low+len of the two's complement of x.
            let mut piece = self.quotient(a.term, 1 << low);
            let known_small = a.range.low >= 0 && a.range.high < 1i128 << (low + len);
            if !known_small {
                piece = self.remainder(piece, 1 << len);
            }
            result = t.add(result, t.scale(&Rat::from_ibig((1i128 << low).into()), piece));
        }
        Some(result)
    }

    /// A bit operation on two variables: a symbol with axioms.
    fn cut_bits(&mut self, op: BinOp, a: Operand, b: Operand, ty: IntTy) -> TermId {
        let t = self.terms;
        let cut = match op {
            BinOp::BitAnd => Cut::And(ty.width),
            BinOp::BitOr => Cut::Or(ty.width),
            _ => Cut::Xor(ty.width),
        };
        // They commute.
        let (x, y) = if a.term <= b.term { (a.term, b.term) } else { (b.term, a.term) };
        let (r, new) = self.part.cut(t, cut, x, y);
        if !new {
            return r;
        }
        let zero = t.int(0);
        if let Some(Range { low, high }) = Range::of(ty) {
            self.part.bound(t, r, low, high);
        }
        let positive = |x| t.ge(x, zero);
        let mut axiom =
            |premise: TermId, conclusion: TermId| self.part.require(t, t.implies(premise, conclusion));
        let both = t.and([positive(x), positive(y)]);
        match op {
            BinOp::BitAnd => {
                axiom(positive(x), t.and([positive(r), t.le(r, x)]));
                axiom(positive(y), t.and([positive(r), t.le(r, y)]));
                axiom(t.and([t.lt(x, zero), t.lt(y, zero)]), t.and([t.le(r, x), t.le(r, y)]));
                axiom(t.eq(x, zero), t.eq(r, zero));
                axiom(t.eq(y, zero), t.eq(r, zero));
                axiom(t.eq(x, y), t.eq(r, x));
            }
            BinOp::BitOr => {
                axiom(both, t.and([t.le(x, r), t.le(y, r), t.le(r, t.add(x, y))]));
                axiom(t.or([t.lt(x, zero), t.lt(y, zero)]), t.lt(r, zero));
                axiom(t.eq(x, zero), t.eq(r, y));
                axiom(t.eq(y, zero), t.eq(r, x));
                axiom(t.eq(x, y), t.eq(r, x));
                axiom(t.eq(r, zero), t.and([t.eq(x, zero), t.eq(y, zero)]));
            }
            _ => {
                axiom(both, t.and([positive(r), t.le(r, t.add(x, y))]));
                axiom(t.eq(x, zero), t.eq(r, y));
                axiom(t.eq(y, zero), t.eq(r, x));
                axiom(t.eq(x, y), t.eq(r, zero));
                axiom(t.eq(r, zero), t.eq(x, y));
            }
        }
        r
    }
}

/// What an exact quotient of two values of the type may be.
fn quotients(ty: IntTy) -> Option<Range> {
    Range::of(ty).map(|r| if ty.signed { Range::new(r.low, -r.low) } else { r })
}
