//! Bit-vector arithmetic on unsigned values: the meaning of the operators, shared by constant folding and evaluation.
//! Division by zero follows SMT-LIB.

use crate::term::Op;
use dashu::base::{BitTest, UnsignedAbs};
use dashu::integer::{IBig, UBig};

/// `2^width - 1`.
pub fn mask(width: u32) -> UBig {
    (UBig::ONE << width as usize) - UBig::ONE
}

/// The value read as a signed number.
pub fn signed(value: &UBig, width: u32) -> IBig {
    let v = IBig::from(value.clone());
    if value.bit(width as usize - 1) { v - (IBig::ONE << width as usize) } else { v }
}

/// A signed number modulo `2^width`.
pub fn wrap(value: IBig, width: u32) -> UBig {
    let modulus = IBig::ONE << width as usize;
    let mut r = value % &modulus;
    if r < IBig::ZERO {
        r += modulus;
    }
    r.unsigned_abs()
}

/// Applies an operator whose result is a bit-vector; `width` is that of the first argument.
pub fn apply(op: Op, width: u32, args: &[&UBig]) -> Option<UBig> {
    let a = args[0];
    let b = || args[1];
    let m = || mask(width);
    let shift = || u32::try_from(b()).ok().filter(|s| *s < width);
    Some(match op {
        Op::BvNot => m() - a,
        Op::BvNeg => wrap(-IBig::from(a.clone()), width),
        Op::BvAnd => a & b(),
        Op::BvOr => a | b(),
        Op::BvXor => a ^ b(),
        Op::BvAdd => (a + b()) & m(),
        Op::BvMul => (a * b()) & m(),
        Op::BvUdiv => {
            if b().is_zero() {
                m()
            } else {
                a / b()
            }
        }
        Op::BvUrem => {
            if b().is_zero() {
                a.clone()
            } else {
                a % b()
            }
        }
        // dashu's division of signed numbers rounds towards zero, as bvsdiv and bvsrem do.
        Op::BvSdiv => {
            let (x, y) = (signed(a, width), signed(b(), width));
            if y.is_zero() { if x < IBig::ZERO { UBig::ONE } else { m() } } else { wrap(x / y, width) }
        }
        Op::BvSrem => {
            let (x, y) = (signed(a, width), signed(b(), width));
            if y.is_zero() { a.clone() } else { wrap(x % y, width) }
        }
        Op::BvShl => shift().map_or(UBig::ZERO, |s| (a << s as usize) & m()),
        Op::BvLshr => shift().map_or(UBig::ZERO, |s| a >> s as usize),
        Op::BvAshr => {
            let s = shift().unwrap_or(width - 1);
            wrap(signed(a, width) >> s as usize, width)
        }
        Op::Extract(high, low) => (a >> low as usize) & mask(high - low + 1),
        Op::ZeroExt(_) => a.clone(),
        Op::SignExt(by) => wrap(signed(a, width), width + by),
        _ => return None,
    })
}

/// Applies a comparison.
pub fn compare(op: Op, width: u32, a: &UBig, b: &UBig) -> Option<bool> {
    Some(match op {
        Op::BvUle => a <= b,
        Op::BvUlt => a < b,
        Op::BvSle => signed(a, width) <= signed(b, width),
        Op::BvSlt => signed(a, width) < signed(b, width),
        _ => return None,
    })
}
