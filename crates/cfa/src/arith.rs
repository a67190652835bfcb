//! One operation on machine integers, exactly.
//!
//! A value of an [`IntTy`] of width `w` is kept as its `w` low bits in a `u128`, the rest zero. Operations say when C leaves the
//! result undefined; the caller decides whether that stops a run or wraps (`--signed-wrap`). Constant folding and the
//! interpreter use this; the encoding into formulas does not, so that each can be tested against the other.

use crate::expr::BinOp;
use crate::types::IntTy;
use std::cmp::Ordering;

/// Behaviour that C leaves undefined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// The mathematical result of a signed operation is not a value of its type. Carries the wrapped result.
    Overflow(u128),
    DivisionByZero,
    /// The shift amount is negative or not below the width.
    ShiftAmount,
}

pub fn mask(width: u16) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The low bits of `v`, as a value of the type.
pub fn truncate(v: u128, ty: IntTy) -> u128 {
    v & mask(ty.width)
}

/// The value as a signed number where the type is signed. Unsigned values above `i128::MAX` come out negative; compare with
/// [`compare`].
pub fn to_i128(v: u128, ty: IntTy) -> i128 {
    if ty.signed && ty.width < 128 && v >> (ty.width - 1) & 1 == 1 {
        (v | !mask(ty.width)).cast_signed()
    } else {
        v.cast_signed()
    }
}

/// Conversion between integer types as C has it: modulo 2^width.
pub fn convert(v: u128, from: IntTy, to: IntTy) -> u128 {
    truncate(to_i128(v, from).cast_unsigned(), to)
}

pub fn compare(a: u128, b: u128, ty: IntTy) -> Ordering {
    if ty.signed { to_i128(a, ty).cmp(&to_i128(b, ty)) } else { a.cmp(&b) }
}

/// Smallest and largest value as bits.
pub fn bounds(ty: IntTy) -> (u128, u128) {
    if ty.signed { (1 << (ty.width - 1), mask(ty.width - 1)) } else { (0, mask(ty.width)) }
}

/// `0 - v`.
pub fn negate(v: u128, ty: IntTy) -> Result<u128, Undefined> {
    binary(BinOp::Sub, 0, v, ty)
}

/// An arithmetic or bitwise operation on two values of the same type. Shifts: the amount is of any type and already judged by
/// [`shift`]; comparisons and logic are not for this function.
pub fn binary(op: BinOp, a: u128, b: u128, ty: IntTy) -> Result<u128, Undefined> {
    let (x, y) = (to_i128(a, ty), to_i128(b, ty));
    // Wrapped result and whether the exact one fits, for the three that may leave the type.
    let judged = |wrapped: u128, exact: Option<i128>| {
        let result = truncate(wrapped, ty);
        if !ty.signed || exact.is_some_and(|e| to_i128(result, ty) == e) {
            Ok(result)
        } else {
            Err(Undefined::Overflow(result))
        }
    };
    match op {
        BinOp::Add => judged(a.wrapping_add(b), x.checked_add(y)),
        BinOp::Sub => judged(a.wrapping_sub(b), x.checked_sub(y)),
        BinOp::Mul => judged(a.wrapping_mul(b), x.checked_mul(y)),
        BinOp::Div | BinOp::Rem if b == 0 => Err(Undefined::DivisionByZero),
        BinOp::Div if ty.signed => judged(x.wrapping_div(y).cast_unsigned(), x.checked_div(y)),
        BinOp::Div => Ok(a / b),
        // INT_MIN % -1 is undefined too: its quotient leaves the type.
        BinOp::Rem if ty.signed => match binary(BinOp::Div, a, b, ty) {
            Err(Undefined::Overflow(_)) => Err(Undefined::Overflow(0)),
            _ => Ok(truncate((x % y).cast_unsigned(), ty)),
        },
        BinOp::Rem => Ok(a % b),
        BinOp::BitAnd => Ok(a & b),
        BinOp::BitOr => Ok(a | b),
        BinOp::BitXor => Ok(a ^ b),
        _ => unreachable!("{op:?} is not integer arithmetic"),
    }
}

/// `a << n` or `a >> n`; `n` is of type `n_ty`. A left shift moves the bits of a signed value as of an unsigned one, which GCC
/// defines where C11 6.5.7 does not; a right shift of a negative value copies the sign.
pub fn shift(op: BinOp, a: u128, n: u128, ty: IntTy, n_ty: IntTy) -> Result<u128, Undefined> {
    if to_i128(n, n_ty) < 0 || n >= u128::from(ty.width) {
        return Err(Undefined::ShiftAmount);
    }
    let n = n as u32;
    match op {
        BinOp::Shl => Ok(truncate(a.checked_shl(n).unwrap_or(0), ty)),
        BinOp::Shr if ty.signed => Ok(truncate((to_i128(a, ty) >> n).cast_unsigned(), ty)),
        BinOp::Shr => Ok(a >> n),
        _ => unreachable!("{op:?} is not a shift"),
    }
}

/// Does the exact result of `a op b` (Add, Sub, Mul) leave the type? For unsigned types as well: the meaning of
/// `__builtin_add_overflow` and of the range checks of `no-overflow`.
pub fn overflows(op: BinOp, a: u128, b: u128, ty: IntTy) -> bool {
    if ty.signed {
        return matches!(binary(op, a, b, ty), Err(Undefined::Overflow(_)));
    }
    let exact = match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        _ => return false,
    };
    exact.is_none_or(|e| e > mask(ty.width))
}

#[cfg(test)]
mod tests {
    use super::*;
    const I8: IntTy = IntTy::new(8, true);
    const U8: IntTy = IntTy::new(8, false);
    const I32: IntTy = IntTy::new(32, true);

    #[test]
    fn conversions_keep_the_value_modulo_the_width() {
        assert_eq!(convert(0xff, I8, I32), 0xffff_ffff);
        assert_eq!(convert(0xff, U8, I32), 0xff);
        assert_eq!(convert(0x1ff, I32, U8), 0xff);
        assert_eq!(to_i128(0x80, I8), -128);
        assert_eq!(to_i128(u128::MAX, IntTy::new(128, true)), -1);
    }

    #[test]
    fn every_eight_bit_operation_agrees_with_rust() {
        for a in 0..=255u8 {
            for b in 0..=255u8 {
                let (sa, sb) = (a.cast_signed(), b.cast_signed());
                let (ua, ub) = (u128::from(a), u128::from(b));
                let signed = |r: Option<i8>, wrapped: i8| {
                    r.map(|v| u128::from(v.cast_unsigned()))
                        .ok_or(Undefined::Overflow(u128::from(wrapped.cast_unsigned())))
                };
                assert_eq!(binary(BinOp::Add, ua, ub, I8), signed(sa.checked_add(sb), sa.wrapping_add(sb)));
                assert_eq!(binary(BinOp::Sub, ua, ub, I8), signed(sa.checked_sub(sb), sa.wrapping_sub(sb)));
                assert_eq!(binary(BinOp::Mul, ua, ub, I8), signed(sa.checked_mul(sb), sa.wrapping_mul(sb)));
                assert_eq!(binary(BinOp::Add, ua, ub, U8), Ok(u128::from(a.wrapping_add(b))));
                assert_eq!(binary(BinOp::Sub, ua, ub, U8), Ok(u128::from(a.wrapping_sub(b))));
                assert_eq!(binary(BinOp::Mul, ua, ub, U8), Ok(u128::from(a.wrapping_mul(b))));
                if let (Some(quotient), Some(remainder)) = (a.checked_div(b), a.checked_rem(b)) {
                    assert_eq!(binary(BinOp::Div, ua, ub, U8), Ok(u128::from(quotient)));
                    assert_eq!(binary(BinOp::Rem, ua, ub, U8), Ok(u128::from(remainder)));
                    assert_eq!(
                        binary(BinOp::Div, ua, ub, I8),
                        signed(sa.checked_div(sb), sa.wrapping_div(sb))
                    );
                    assert_eq!(
                        binary(BinOp::Rem, ua, ub, I8),
                        signed(sa.checked_rem(sb), sa.wrapping_rem(sb))
                    );
                }
                assert_eq!(overflows(BinOp::Add, ua, ub, U8), a.checked_add(b).is_none());
                assert_eq!(overflows(BinOp::Mul, ua, ub, I8), sa.checked_mul(sb).is_none());
                assert_eq!(compare(ua, ub, I8), sa.cmp(&sb));
                if b < 8 {
                    assert_eq!(shift(BinOp::Shr, ua, ub, I8, I32), Ok(u128::from((sa >> b).cast_unsigned())));
                    assert_eq!(shift(BinOp::Shl, ua, ub, U8, I32), Ok(u128::from(a << b)));
                } else {
                    assert_eq!(shift(BinOp::Shr, ua, ub, U8, I32), Err(Undefined::ShiftAmount));
                }
            }
        }
    }

    #[test]
    fn widest_types_do_not_lose_overflow() {
        let i128t = IntTy::new(128, true);
        let max = i128::MAX.cast_unsigned();
        assert!(matches!(binary(BinOp::Add, max, 1, i128t), Err(Undefined::Overflow(_))));
        assert_eq!(binary(BinOp::Add, u128::MAX, 1, IntTy::new(128, false)), Ok(0));
        assert!(overflows(BinOp::Mul, u128::MAX, 2, IntTy::new(128, false)));
        let min = i128::MIN.cast_unsigned();
        assert!(matches!(binary(BinOp::Div, min, u128::MAX, i128t), Err(Undefined::Overflow(_))));
        assert!(matches!(binary(BinOp::Rem, min, u128::MAX, i128t), Err(Undefined::Overflow(_))));
    }
}
