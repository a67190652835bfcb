//! Functions with `{:bvbuiltin "..."}` or `{:builtin "..."}`: operations of SMT-LIB on bit-vectors.
//!
//! A bit-vector is an unsigned machine integer; signed operations go through the signed integer of the same width. Where a machine
//! leaves the result open (division by zero, shifts by the width or more, the smallest number divided by -1) the result is the one that
//! SMT-LIB defines.

use super::Lower;
use craig_cfa::{BinOp, ExprId, ExprKind, IntTy, Type, TypeId, Types, UnOp};

impl Lower<'_> {
    /// `None` if the operation is not known or does not fit the types.
    pub fn builtin(&mut self, name: &str, args: &[ExprId], ty: TypeId) -> Option<ExprId> {
        // `(_ zero_extend 8)`, `zero_extend 8` and `zero_extend`: the types say the rest.
        let name = name.trim().trim_start_matches("(_ ").trim_end_matches(')');
        let (name, _) = name.split_once(' ').unwrap_or((name, ""));
        let value = match *args {
            [a] => self.unary_builtin(name, a, ty),
            [a, b] => self.binary_builtin(name, a, b, ty),
            _ => None,
        }?;
        (self.p.exprs.ty(value) == ty).then_some(value)
    }

    fn bits(&self, e: ExprId) -> Option<IntTy> {
        self.p.types.as_int(self.p.exprs.ty(e))
    }

    fn unary_builtin(&mut self, name: &str, a: ExprId, ty: TypeId) -> Option<ExprId> {
        let to = self.p.types.as_int(ty);
        let from = self.bits(a);
        match (name, from, to) {
            ("bvnot", Some(_), _) => Some(self.p.exprs.unary(&self.p.types, UnOp::BitNot, a)),
            ("bvneg", Some(_), _) => Some(self.p.exprs.unary(&self.p.types, UnOp::Neg, a)),
            ("zero_extend", Some(from), Some(to)) if from.width <= to.width => {
                Some(self.p.exprs.cast(&self.p.types, a, ty))
            }
            ("sign_extend", Some(from), Some(to)) if from.width <= to.width => {
                let signed = self.signed(a)?;
                let wide = self.p.types.int(to.width, true);
                let wide = self.p.exprs.cast(&self.p.types, signed, wide);
                Some(self.p.exprs.cast(&self.p.types, wide, ty))
            }
            ("bv2nat" | "bv2int" | "ubv_to_int", Some(_), None) if *self.p.types.get(ty) == Type::MathInt => {
                Some(self.p.exprs.intern(ExprKind::Cast(a), ty))
            }
            ("int2bv" | "nat2bv" | "int_to_bv", None, Some(_))
                if *self.p.types.get(self.p.exprs.ty(a)) == Type::MathInt =>
            {
                Some(self.p.exprs.intern(ExprKind::Cast(a), ty))
            }
            _ => None,
        }
    }

    fn binary_builtin(&mut self, name: &str, a: ExprId, b: ExprId, ty: TypeId) -> Option<ExprId> {
        if name == "concat" {
            let width = self.bits(a)?.width + self.bits(b)?.width;
            let fits = self.p.types.as_int(ty).is_some_and(|t| t.width == width);
            return fits.then(|| self.p.exprs.intern(ExprKind::Concat(a, b), ty));
        }
        if self.bits(a)? != self.bits(b)? {
            return None;
        }
        Some(match name {
            "bvadd" => self.bin(BinOp::Add, a, b),
            "bvsub" => self.bin(BinOp::Sub, a, b),
            "bvmul" => self.bin(BinOp::Mul, a, b),
            "bvand" => self.bin(BinOp::BitAnd, a, b),
            "bvor" => self.bin(BinOp::BitOr, a, b),
            "bvxor" => self.bin(BinOp::BitXor, a, b),
            "bvnand" => self.flipped(BinOp::BitAnd, a, b),
            "bvnor" => self.flipped(BinOp::BitOr, a, b),
            "bvxnor" => self.flipped(BinOp::BitXor, a, b),
            "bvshl" => self.shift(BinOp::Shl, a, b),
            "bvlshr" => self.shift(BinOp::Shr, a, b),
            "bvashr" => self.arithmetic_shift(a, b)?,
            "bvudiv" => self.unsigned_division(BinOp::Div, a, b),
            "bvurem" => self.unsigned_division(BinOp::Rem, a, b),
            "bvsdiv" => self.signed_quotient(a, b)?,
            "bvsrem" => self.signed_remainder(a, b)?,
            "bvsmod" => self.signed_modulo(a, b)?,
            "bvult" => self.bin(BinOp::Lt, a, b),
            "bvule" => self.bin(BinOp::Le, a, b),
            "bvugt" => self.bin(BinOp::Lt, b, a),
            "bvuge" => self.bin(BinOp::Le, b, a),
            "bvslt" => self.signed_order(BinOp::Lt, a, b)?,
            "bvsle" => self.signed_order(BinOp::Le, a, b)?,
            "bvsgt" => self.signed_order(BinOp::Lt, b, a)?,
            "bvsge" => self.signed_order(BinOp::Le, b, a)?,
            "bvcomp" => {
                let same = self.bin(BinOp::Eq, a, b);
                let bit = self.p.types.int(1, false);
                let (one, zero) = (self.constant(1, bit), self.constant(0, bit));
                self.p.exprs.ite(same, one, zero)
            }
            _ => return None,
        })
    }

    fn bin(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.p.exprs.binary(&self.p.types, op, a, b)
    }

    fn flipped(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let value = self.bin(op, a, b);
        self.p.exprs.unary(&self.p.types, UnOp::BitNot, value)
    }

    fn constant(&mut self, value: i128, ty: TypeId) -> ExprId {
        self.p.exprs.int(&self.p.types, value, ty)
    }

    fn like(&mut self, value: i128, e: ExprId) -> ExprId {
        let ty = self.p.exprs.ty(e);
        self.constant(value, ty)
    }

    /// The same bits as a signed integer.
    fn signed(&mut self, a: ExprId) -> Option<ExprId> {
        let ty = self.p.types.int(self.bits(a)?.width, true);
        Some(self.p.exprs.cast(&self.p.types, a, ty))
    }

    fn unsigned(&mut self, a: ExprId, like: ExprId) -> ExprId {
        let ty = self.p.exprs.ty(like);
        self.p.exprs.cast(&self.p.types, a, ty)
    }

    fn is_negative(&mut self, signed: ExprId) -> ExprId {
        let zero = self.like(0, signed);
        self.bin(BinOp::Lt, signed, zero)
    }

    fn is_zero(&mut self, a: ExprId) -> ExprId {
        let zero = self.like(0, a);
        self.bin(BinOp::Eq, a, zero)
    }

    fn shift(&mut self, op: BinOp, a: ExprId, n: ExprId) -> ExprId {
        let width = self.bits(a).map_or(0, |t| i128::from(t.width));
        let (limit, zero) = (self.like(width, n), self.like(0, a));
        let small = self.bin(BinOp::Lt, n, limit);
        let shifted = self.bin(op, a, n);
        self.p.exprs.ite(small, shifted, zero)
    }

    /// By the width or more: all bits are the sign, as after a shift by one less than the width.
    fn arithmetic_shift(&mut self, a: ExprId, n: ExprId) -> Option<ExprId> {
        let width = i128::from(self.bits(a)?.width);
        let (limit, most) = (self.like(width, n), self.like(width - 1, n));
        let small = self.bin(BinOp::Lt, n, limit);
        let n = self.p.exprs.ite(small, n, most);
        let signed = self.signed(a)?;
        let shifted = self.bin(BinOp::Shr, signed, n);
        Some(self.unsigned(shifted, a))
    }

    /// By zero the quotient is all ones, the remainder the dividend.
    fn unsigned_division(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let zero = self.is_zero(b);
        let otherwise = self.bin(op, a, b);
        let by_zero = if op == BinOp::Div { self.like(-1, a) } else { a };
        self.p.exprs.ite(zero, by_zero, otherwise)
    }

    /// By zero: 1 for negative numbers, else -1. By -1 the negation, so that the smallest number gives itself.
    fn signed_quotient(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (x, y) = (self.signed(a)?, self.signed(b)?);
        let quotient = self.bin(BinOp::Div, x, y);
        let quotient = self.unsigned(quotient, a);
        let (one, ones) = (self.like(1, a), self.like(-1, a));
        let negated = self.p.exprs.unary(&self.p.types, UnOp::Neg, a);
        let by_minus_one = self.bin(BinOp::Eq, b, ones);
        let quotient = self.p.exprs.ite(by_minus_one, negated, quotient);
        let negative = self.is_negative(x);
        let by_zero = self.p.exprs.ite(negative, one, ones);
        let zero = self.is_zero(b);
        Some(self.p.exprs.ite(zero, by_zero, quotient))
    }

    /// With the sign of the dividend.
    fn signed_remainder(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (x, y) = (self.signed(a)?, self.signed(b)?);
        let remainder = self.bin(BinOp::Rem, x, y);
        let remainder = self.unsigned(remainder, a);
        let (nothing, ones) = (self.like(0, a), self.like(-1, a));
        let by_minus_one = self.bin(BinOp::Eq, b, ones);
        let remainder = self.p.exprs.ite(by_minus_one, nothing, remainder);
        let zero = self.is_zero(b);
        Some(self.p.exprs.ite(zero, a, remainder))
    }

    /// With the sign of the divisor.
    fn signed_modulo(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let remainder = self.signed_remainder(a, b)?;
        let (r, y) = (self.signed(remainder)?, self.signed(b)?);
        let (r_negative, y_negative) = (self.is_negative(r), self.is_negative(y));
        let same = self.bin(BinOp::Iff, r_negative, y_negative);
        let none = self.is_zero(remainder);
        let by_zero = self.is_zero(b);
        let keep = self.p.exprs.or(same, none);
        let keep = self.p.exprs.or(keep, by_zero);
        let moved = self.bin(BinOp::Add, remainder, b);
        Some(self.p.exprs.ite(keep, remainder, moved))
    }

    fn signed_order(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (a, b) = (self.signed(a)?, self.signed(b)?);
        let value = self.bin(op, a, b);
        debug_assert_eq!(self.p.exprs.ty(value), Types::BOOL);
        Some(value)
    }
}
