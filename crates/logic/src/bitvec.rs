//! Bit-vector constructors: constant folding, neutral elements, commutative operators with ascending arguments.

use crate::bits;
use crate::num::Rat;
use crate::sort::Sort;
use crate::term::{Op, TermId, Terms};
use dashu::base::UnsignedAbs;
use dashu::integer::{IBig, UBig};

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident $op:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self, a: TermId, b: TermId) -> TermId {
            self.bv_binary(Op::$op, a, b)
        }
    )*};
}

macro_rules! comparison {
    ($($(#[$doc:meta])* $name:ident $op:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self, a: TermId, b: TermId) -> TermId {
            self.bv_compare(Op::$op, a, b)
        }
    )*};
}

impl Terms {
    /// The bit-vector of this width whose value is `value` modulo `2^width`.
    pub fn bv(&self, value: i64, width: u32) -> TermId {
        self.bv_big(IBig::from(value), width)
    }

    /// Like [`Terms::bv`] for any integer.
    pub fn bv_big(&self, value: IBig, width: u32) -> TermId {
        assert!(width > 0, "bit-vectors have at least one bit");
        self.mk_number(&Rat::from_ibig(bits::wrap(value, width).into()), Sort::BitVec(width))
    }

    /// Width and unsigned value of a bit-vector number.
    pub fn bv_number(&self, term: TermId) -> Option<(u32, UBig)> {
        let width = self.sort(term).width()?;
        Some((width, self.number(term)?.numerator().unsigned_abs()))
    }

    fn width(&self, term: TermId) -> u32 {
        self.sort(term).width().expect("a bit-vector")
    }

    fn bv_unary(&self, op: Op, a: TermId, width: u32) -> TermId {
        if let Some((w, value)) = self.bv_number(a)
            && let Some(result) = bits::apply(op, w, &[&value])
        {
            return self.bv_big(result.into(), width);
        }
        if matches!(op, Op::BvNot | Op::BvNeg) && self.op(a) == op {
            return self.arg(a, 0);
        }
        self.mk(op, &[a], Sort::BitVec(width))
    }

    pub fn bv_not(&self, a: TermId) -> TermId {
        self.bv_unary(Op::BvNot, a, self.width(a))
    }

    pub fn bv_neg(&self, a: TermId) -> TermId {
        self.bv_unary(Op::BvNeg, a, self.width(a))
    }

    binary! {
        bv_and BvAnd;
        bv_or BvOr;
        bv_xor BvXor;
        bv_add BvAdd;
        bv_mul BvMul;
        /// Unsigned quotient; by zero: all ones.
        bv_udiv BvUdiv;
        /// Unsigned remainder; by zero: the dividend.
        bv_urem BvUrem;
        /// Signed quotient, towards zero.
        bv_sdiv BvSdiv;
        /// Signed remainder, with the sign of the dividend.
        bv_srem BvSrem;
        bv_shl BvShl;
        bv_lshr BvLshr;
        bv_ashr BvAshr;
    }

    pub fn bv_sub(&self, a: TermId, b: TermId) -> TermId {
        self.bv_add(a, self.bv_neg(b))
    }

    fn bv_binary(&self, op: Op, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        let (x, y) = (self.bv_number(a), self.bv_number(b));
        if let (Some((_, x)), Some((_, y))) = (&x, &y)
            && let Some(result) = bits::apply(op, width, &[x, y])
        {
            return self.bv_big(result.into(), width);
        }
        let commutative = matches!(op, Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul);
        let (a, b, x, y) = if commutative && a > b { (b, a, y, x) } else { (a, b, x, y) };
        let number = |n: &Option<(u32, UBig)>, value: &UBig| n.as_ref().is_some_and(|(_, n)| n == value);
        let zero = |n: &Option<(u32, UBig)>| number(n, &UBig::ZERO);
        let one = |n: &Option<(u32, UBig)>| number(n, &UBig::ONE);
        let ones = |n: &Option<(u32, UBig)>| n.is_some() && number(n, &bits::mask(width));
        match op {
            Op::BvAdd | Op::BvOr | Op::BvXor if zero(&x) => return b,
            Op::BvAdd | Op::BvOr | Op::BvXor | Op::BvShl | Op::BvLshr | Op::BvAshr if zero(&y) => return a,
            Op::BvAnd | Op::BvMul if zero(&x) => return a,
            Op::BvAnd | Op::BvMul if zero(&y) => return b,
            Op::BvMul if one(&x) => return b,
            Op::BvMul | Op::BvUdiv | Op::BvSdiv if one(&y) => return a,
            Op::BvAnd if ones(&x) => return b,
            Op::BvAnd if ones(&y) => return a,
            Op::BvOr if ones(&x) => return a,
            Op::BvOr if ones(&y) => return b,
            Op::BvAnd | Op::BvOr if a == b => return a,
            Op::BvXor if a == b => return self.bv(0, width),
            Op::BvAdd if self.bv_neg(a) == b => return self.bv(0, width),
            // The numbers of a sum are one.
            Op::BvAdd => {
                let (number, sum) = if x.is_some() { (x, b) } else { (y, a) };
                if let Some((_, n)) = number
                    && self.op(sum) == Op::BvAdd
                    && let (rest, m) = self.bv_offset(sum)
                    && let Some(rest) = rest.filter(|rest| *rest != sum)
                {
                    return self.bv_binary(Op::BvAdd, rest, self.bv_big((n + m).into(), width));
                }
            }
            _ => {}
        }
        self.mk(op, &[a, b], Sort::BitVec(width))
    }

    /// A bit-vector as a sum of a term, if there is one, and a number.
    pub(crate) fn bv_offset(&self, a: TermId) -> (Option<TermId>, UBig) {
        let number = |t| self.bv_number(t).map(|(_, n)| n);
        if let Some(n) = number(a) {
            return (None, n);
        }
        if self.op(a) == Op::BvAdd {
            let (x, y) = (self.arg(a, 0), self.arg(a, 1));
            if let Some(n) = number(x) {
                return (Some(y), n);
            }
            if let Some(n) = number(y) {
                return (Some(x), n);
            }
        }
        (Some(a), UBig::ZERO)
    }

    comparison! {
        bv_ule BvUle;
        bv_ult BvUlt;
        bv_sle BvSle;
        bv_slt BvSlt;
    }

    fn bv_compare(&self, op: Op, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        if a == b {
            return self.bool(matches!(op, Op::BvUle | Op::BvSle));
        }
        if let (Some((_, x)), Some((_, y))) = (self.bv_number(a), self.bv_number(b))
            && let Some(result) = bits::compare(op, width, &x, &y)
        {
            return self.bool(result);
        }
        // One atom for a comparison and its negation: a < b is not (b <= a).
        match op {
            Op::BvUlt => self.not(self.bv_compare(Op::BvUle, b, a)),
            Op::BvSlt => self.not(self.bv_compare(Op::BvSle, b, a)),
            _ => self.mk(op, &[a, b], Sort::Bool),
        }
    }

    /// The bits of `a` above those of `b`.
    pub fn concat(&self, a: TermId, b: TermId) -> TermId {
        let (wa, wb) = (self.width(a), self.width(b));
        if let (Some((_, x)), Some((_, y))) = (self.bv_number(a), self.bv_number(b)) {
            return self.bv_big(((x << wb as usize) | y).into(), wa + wb);
        }
        // Neighbouring bits of one term: a value that was taken apart and is put together again.
        if let (Op::Extract(high, low), Op::Extract(below, last)) = (self.op(a), self.op(b))
            && low == below + 1
            && self.arg(a, 0) == self.arg(b, 0)
        {
            return self.extract(high, last, self.arg(a, 0));
        }
        self.mk(Op::Concat, &[a, b], Sort::BitVec(wa + wb))
    }

    /// Bits `low` to `high`, both included.
    pub fn extract(&self, high: u32, low: u32, a: TermId) -> TermId {
        let width = self.width(a);
        assert!(low <= high && high < width, "bits {high} to {low} of {width}");
        if low == 0 && high == width - 1 {
            return a;
        }
        match self.op(a) {
            Op::Extract(_, first) => return self.extract(high + first, low + first, self.arg(a, 0)),
            Op::Concat => {
                let (top, bottom) = (self.arg(a, 0), self.arg(a, 1));
                let border = self.width(bottom);
                if high < border {
                    return self.extract(high, low, bottom);
                }
                if low >= border {
                    return self.extract(high - border, low - border, top);
                }
            }
            Op::ZeroExt(_) | Op::SignExt(_) if high < self.width(self.arg(a, 0)) => {
                return self.extract(high, low, self.arg(a, 0));
            }
            Op::ZeroExt(_) if low >= self.width(self.arg(a, 0)) => return self.bv(0, high - low + 1),
            _ => {}
        }
        self.bv_unary(Op::Extract(high, low), a, high - low + 1)
    }

    /// Adds `by` zero bits on top.
    pub fn zero_ext(&self, by: u32, a: TermId) -> TermId {
        if by == 0 { a } else { self.bv_unary(Op::ZeroExt(by), a, self.width(a) + by) }
    }

    /// Adds `by` copies of the sign bit on top.
    pub fn sign_ext(&self, by: u32, a: TermId) -> TermId {
        if by == 0 { a } else { self.bv_unary(Op::SignExt(by), a, self.width(a) + by) }
    }

    /// The unsigned value as an integer.
    pub fn bv_to_int(&self, a: TermId) -> TermId {
        match self.bv_number(a) {
            Some((_, value)) => self.mk_number(&Rat::from_ibig(value.into()), Sort::Int),
            None => self.mk(Op::BvToInt, &[a], Sort::Int),
        }
    }

    /// The integer modulo `2^width`.
    pub fn int_to_bv(&self, a: TermId, width: u32) -> TermId {
        match self.number(a) {
            Some(value) => self.bv_big(value.numerator(), width),
            None => self.mk(Op::IntToBv, &[a], Sort::BitVec(width)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fold_and_wrap() {
        let t = Terms::new();
        let n = |v| t.bv(v, 8);
        assert_eq!(t.bv_add(n(250), n(10)), n(4));
        assert_eq!(t.bv_neg(n(1)), n(255));
        assert_eq!(t.bv_sdiv(n(-7), n(2)), n(-3));
        assert_eq!(t.bv_srem(n(-7), n(2)), n(-1));
        assert_eq!(t.bv_udiv(n(7), n(0)), n(255));
        assert_eq!(t.bv_ashr(n(-8), n(1)), n(-4));
        assert_eq!(t.bv_shl(n(1), n(9)), n(0));
        assert_eq!(t.bv_slt(n(-1), n(0)), t.tru());
        assert_eq!(t.bv_ult(n(-1), n(0)), t.fls());
        assert_eq!(t.extract(7, 4, n(0xab)), t.bv(0xa, 4));
        assert_eq!(t.concat(t.bv(0xa, 4), t.bv(0xb, 4)), n(0xab));
        assert_eq!(t.sign_ext(8, n(-2)), t.bv(-2, 16));
        assert_eq!(t.bv_to_int(t.bv(-1, 64)), t.numeral(&Rat::from(u64::MAX), Sort::Int));
        assert_eq!(t.int_to_bv(t.int(-1), 8), n(255));
    }

    #[test]
    fn neutral_elements_vanish() {
        let t = Terms::new();
        let x = t.symbol("x", Sort::BitVec(8));
        assert_eq!(t.bv_add(t.bv(0, 8), x), x);
        assert_eq!(t.bv_sub(x, x), t.bv(0, 8));
        assert_eq!(t.bv_and(x, t.bv(-1, 8)), x);
        assert_eq!(t.bv_mul(x, t.bv(0, 8)), t.bv(0, 8));
        assert_eq!(t.bv_not(t.bv_not(x)), x);
        assert_eq!(t.not(t.bv_ult(x, t.bv(3, 8))), t.bv_ule(t.bv(3, 8), x));
    }
}
