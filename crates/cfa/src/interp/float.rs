//! Floats by their bits.
//!
//! `float` and `double` are computed by the machine this runs on, which is IEEE 754 as well. The wider formats are only moved and
//! converted, and only where the conversion is exact: every other case is for the caller to call unsupported.

use crate::arith;
use crate::types::{FloatTy, IntTy};

/// Bits of the significand with its leading one, and bits of the exponent.
fn shape(ty: FloatTy) -> (u32, u32) {
    match ty {
        FloatTy::F32 => (24, 8),
        FloatTy::F64 => (53, 11),
        FloatTy::F80 => (64, 15),
        FloatTy::F128 => (113, 15),
    }
}

/// Bits that the format uses; storage may be larger.
pub(super) fn width(ty: FloatTy) -> u16 {
    match ty {
        FloatTy::F32 => 32,
        FloatTy::F64 => 64,
        FloatTy::F80 => 80,
        FloatTy::F128 => 128,
    }
}

enum Parts {
    /// `significand * 2^exponent`.
    Finite {
        negative: bool,
        significand: u128,
        exponent: i32,
    },
    Infinite {
        negative: bool,
    },
    Nan,
}

fn decode(bits: u128, ty: FloatTy) -> Parts {
    let (precision, exponent_bits) = shape(ty);
    let bias = (1 << (exponent_bits - 1)) - 1;
    // The 80-bit format writes its leading one, the others imply it.
    let stored = if ty == FloatTy::F80 { precision } else { precision - 1 };
    let negative = bits >> (width(ty) - 1) & 1 == 1;
    let biased = (bits >> stored) as i32 & ((1 << exponent_bits) - 1);
    let fraction = bits & arith::mask(precision as u16 - 1);
    if biased == (1 << exponent_bits) - 1 {
        return if fraction == 0 { Parts::Infinite { negative } } else { Parts::Nan };
    }
    let leading = if ty == FloatTy::F80 {
        bits & (1 << (precision - 1))
    } else {
        u128::from(biased > 0) << (precision - 1)
    };
    Parts::Finite {
        negative,
        significand: fraction | leading,
        exponent: biased.max(1) - bias - (precision as i32 - 1),
    }
}

/// `None` where the value is not one of the format.
fn encode(parts: &Parts, ty: FloatTy) -> Option<u128> {
    let (precision, exponent_bits) = shape(ty);
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let stored = if ty == FloatTy::F80 { precision } else { precision - 1 };
    let top = (1u128 << exponent_bits) - 1;
    let explicit_one = if ty == FloatTy::F80 { 1u128 << 63 } else { 0 };
    let assemble = |negative: bool, biased: u128, fraction: u128| {
        u128::from(negative) << (width(ty) - 1) | biased << stored | fraction
    };
    match *parts {
        Parts::Nan => Some(assemble(false, top, explicit_one | 1 << (precision - 2))),
        Parts::Infinite { negative } => Some(assemble(negative, top, explicit_one)),
        Parts::Finite { negative, significand: 0, .. } => Some(assemble(negative, 0, 0)),
        Parts::Finite { negative, significand, exponent } => {
            let highest = exponent + (127 - significand.leading_zeros() as i32);
            if highest > bias {
                return None;
            }
            let lowest = highest.max(1 - bias) - (precision as i32 - 1);
            let shift = lowest - exponent;
            let m = if shift > 0 {
                let lost = if shift >= 128 { significand } else { significand & arith::mask(shift as u16) };
                if lost != 0 {
                    return None;
                }
                significand.checked_shr(shift as u32).unwrap_or(0)
            } else {
                significand << -shift
            };
            let normal = m >> (precision - 1) & 1 == 1;
            let biased = if normal { lowest + (precision as i32 - 1) + bias } else { 0 };
            let fraction = if ty == FloatTy::F80 { m } else { m & arith::mask(precision as u16 - 1) };
            Some(assemble(negative, biased as u128, fraction))
        }
    }
}

/// The value as a double; `None` where that would round or the bits are of no double.
pub(super) fn to_f64(bits: u128, ty: FloatTy) -> Option<f64> {
    match ty {
        FloatTy::F32 => Some(f64::from(f32::from_bits(bits as u32))),
        FloatTy::F64 => Some(f64::from_bits(bits as u64)),
        _ => encode(&decode(bits, ty), FloatTy::F64).map(|b| f64::from_bits(b as u64)),
    }
}

/// Rounds to nearest for `float` and `double`; exact or `None` for the wider formats.
pub(super) fn convert(bits: u128, from: FloatTy, to: FloatTy) -> Option<u128> {
    match (from, to) {
        _ if from == to => Some(bits),
        (FloatTy::F32 | FloatTy::F64, FloatTy::F32) => Some(of_f32(to_f64(bits, from)? as f32)),
        (FloatTy::F32 | FloatTy::F64, FloatTy::F64) => Some(of_f64(to_f64(bits, from)?)),
        _ => encode(&decode(bits, from), to),
    }
}

pub(super) fn of_f32(v: f32) -> u128 {
    u128::from(v.to_bits())
}

pub(super) fn of_f64(v: f64) -> u128 {
    u128::from(v.to_bits())
}

/// A signed number as a float.
pub(super) fn from_int(v: i128, to: FloatTy) -> Option<u128> {
    match to {
        FloatTy::F32 => Some(of_f32(v as f32)),
        FloatTy::F64 => Some(of_f64(v as f64)),
        _ => encode(&Parts::Finite { negative: v < 0, significand: v.unsigned_abs(), exponent: 0 }, to),
    }
}

/// A machine integer as a float.
pub(super) fn from_word(v: u128, from: IntTy, to: FloatTy) -> Option<u128> {
    if from.signed {
        return from_int(arith::to_i128(v, from), to);
    }
    match to {
        FloatTy::F32 => Some(of_f32(v as f32)),
        FloatTy::F64 => Some(of_f64(v as f64)),
        _ => encode(&Parts::Finite { negative: false, significand: v, exponent: 0 }, to),
    }
}

/// The number without its fraction, if the integer type has it. Otherwise C leaves the conversion undefined.
pub(super) fn to_word(bits: u128, from: FloatTy, to: IntTy) -> Option<u128> {
    let Parts::Finite { negative, significand, exponent } = decode(bits, from) else { return None };
    let magnitude = if exponent <= 0 {
        significand.checked_shr(exponent.unsigned_abs()).unwrap_or(0)
    } else if significand == 0 {
        0
    } else if exponent as u32 <= significand.leading_zeros() {
        significand << exponent
    } else {
        return None;
    };
    let (min, max) = arith::bounds(to);
    if !negative {
        return (magnitude <= max).then_some(magnitude);
    }
    let lowest = arith::to_i128(min, to).unsigned_abs();
    (magnitude <= if to.signed { lowest } else { 0 }).then(|| arith::truncate(magnitude.wrapping_neg(), to))
}

/// The sign flipped; works for every format.
pub(super) fn negate(bits: u128, ty: FloatTy) -> u128 {
    bits ^ 1 << (width(ty) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn doubles_survive_the_wider_formats(v in any::<f64>(), via in prop_oneof![Just(FloatTy::F80), Just(FloatTy::F128)]) {
            let wide = convert(of_f64(v), FloatTy::F64, via).unwrap();
            let back = to_f64(wide, via).unwrap();
            prop_assert!(back.to_bits() == v.to_bits() || v.is_nan() && back.is_nan());
        }

        #[test]
        fn truncation_agrees_with_rust(v in any::<f64>()) {
            for (width, signed) in [(8, true), (8, false), (32, true), (32, false), (64, true), (64, false)] {
                let int = IntTy::new(width, signed);
                let t = v.trunc();
                let expected = if signed {
                    let bound = 2f64.powi(i32::from(width) - 1);
                    (t >= -bound && t < bound).then(|| arith::truncate((t as i128).cast_unsigned(), int))
                } else {
                    (t >= 0.0 && t < 2f64.powi(i32::from(width))).then_some(t as u128)
                };
                prop_assert_eq!(to_word(of_f64(v), FloatTy::F64, int), expected);
            }
        }

        #[test]
        fn integers_become_long_doubles_and_come_back(v in any::<u64>()) {
            let u64t = IntTy::new(64, false);
            let wide = from_word(u128::from(v), u64t, FloatTy::F80).unwrap();
            prop_assert_eq!(to_word(wide, FloatTy::F80, u64t), Some(u128::from(v)));
        }
    }

    #[test]
    fn the_long_double_one_is_what_x87_stores() {
        assert_eq!(from_int(1, FloatTy::F80), Some(0x3fff_8000_0000_0000_0000));
        assert_eq!(from_int(-2, FloatTy::F80), Some(0xc000_8000_0000_0000_0000));
        assert_eq!(to_f64(0x3fff_8000_0000_0000_0001, FloatTy::F80), None);
    }
}
