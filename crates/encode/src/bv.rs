//! Machine arithmetic on bit-vectors: everything wraps around.

use craig_cfa::{BinOp, IntTy, UnOp};
use craig_logic::{TermId, Terms};

/// The conversion between machine integers.
pub fn convert(t: &Terms, value: TermId, from: IntTy, to: IntTy) -> TermId {
    let (f, w) = (u32::from(from.width), u32::from(to.width));
    if w <= f {
        return t.extract(w - 1, 0, value);
    }
    if from.signed { t.sign_ext(w - f, value) } else { t.zero_ext(w - f, value) }
}

pub fn unary(t: &Terms, op: UnOp, a: TermId) -> TermId {
    match op {
        UnOp::Neg => t.bv_neg(a),
        UnOp::BitNot => t.bv_not(a),
        UnOp::Not => t.not(a),
    }
}

/// Arithmetic and bit operations on values of one type; the amount of a shift is brought to its width by the caller.
/// Division by zero and shifts by too much are undefined in C; here they are what SMT-LIB says.
pub fn binary(t: &Terms, op: BinOp, a: TermId, b: TermId, ty: IntTy) -> TermId {
    match op {
        BinOp::Add => t.bv_add(a, b),
        BinOp::Sub => t.bv_sub(a, b),
        BinOp::Mul => t.bv_mul(a, b),
        BinOp::Div | BinOp::EDiv if ty.signed => t.bv_sdiv(a, b),
        BinOp::Div | BinOp::EDiv => t.bv_udiv(a, b),
        BinOp::Rem | BinOp::ERem if ty.signed => t.bv_srem(a, b),
        BinOp::Rem | BinOp::ERem => t.bv_urem(a, b),
        BinOp::Shl => t.bv_shl(a, b),
        BinOp::Shr if ty.signed => t.bv_ashr(a, b),
        BinOp::Shr => t.bv_lshr(a, b),
        BinOp::BitAnd => t.bv_and(a, b),
        BinOp::BitOr => t.bv_or(a, b),
        BinOp::BitXor => t.bv_xor(a, b),
        _ => unreachable!("{op:?} is not arithmetic"),
    }
}

/// `a < b` or `a <= b`.
pub fn less(t: &Terms, strict: bool, a: TermId, b: TermId, signed: bool) -> TermId {
    match (strict, signed) {
        (true, true) => t.bv_slt(a, b),
        (true, false) => t.bv_ult(a, b),
        (false, true) => t.bv_sle(a, b),
        (false, false) => t.bv_ule(a, b),
    }
}
