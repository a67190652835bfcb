//! Numbers as vectors of Boolean functions, and arithmetic on them as circuits.
//!
//! A [`Bits`] has its least significant bit first. Operands of one operation have the same width; whether the top bit is a sign is said by
//! the operation. Nothing here enumerates values: an operation costs as many steps as its circuit has gates.

use super::{Bdd, Bdds, OutOfMemory};
use oxidd::BooleanFunction;
use std::fmt;

type Res<T> = Result<T, OutOfMemory>;

/// A number, bit by bit, the least significant first.
pub type Bits = Vec<Bdd>;

/// Circuits over the functions of one manager.
#[derive(Clone)]
pub struct Circuits {
    bdds: Bdds,
    zero: Bdd,
    one: Bdd,
}

impl fmt::Debug for Circuits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Circuits").finish_non_exhaustive()
    }
}

impl Circuits {
    pub fn new(bdds: &Bdds) -> Circuits {
        Circuits { bdds: bdds.clone(), zero: bdds.constant(false), one: bdds.constant(true) }
    }

    pub fn bit(&self, value: bool) -> Bdd {
        if value { self.one.clone() } else { self.zero.clone() }
    }

    pub fn constant(&self, value: u128, width: usize) -> Bits {
        (0..width).map(|i| self.bit(i < 128 && value >> i & 1 == 1)).collect()
    }

    /// The value if no bit depends on anything.
    pub fn as_constant(&self, a: &[Bdd]) -> Option<u128> {
        let mut value = 0;
        for (i, bit) in a.iter().enumerate() {
            if *bit == self.one && i < 128 {
                value |= 1 << i;
            } else if *bit != self.zero {
                return None;
            }
        }
        Some(value)
    }

    /// Cut off, or extended by zeros or by the sign.
    pub fn resize(&self, a: &[Bdd], width: usize, signed: bool) -> Bits {
        let fill = if signed { a.last().cloned() } else { None };
        let fill = fill.unwrap_or_else(|| self.zero.clone());
        a.iter().cloned().chain(std::iter::repeat(fill)).take(width).collect()
    }

    pub fn not(&self, a: &[Bdd]) -> Res<Bits> {
        a.iter().map(BooleanFunction::not).collect()
    }

    pub fn and(&self, a: &[Bdd], b: &[Bdd]) -> Res<Bits> {
        self.zip(a, b, |a, b| self.bdds.and(a, b))
    }

    pub fn or(&self, a: &[Bdd], b: &[Bdd]) -> Res<Bits> {
        self.zip(a, b, |a, b| self.bdds.or(a, b))
    }

    pub fn xor(&self, a: &[Bdd], b: &[Bdd]) -> Res<Bits> {
        self.zip(a, b, |a, b| self.bdds.xor(a, b))
    }

    /// Bit by bit.
    fn zip(&self, a: &[Bdd], b: &[Bdd], op: impl Fn(&Bdd, &Bdd) -> Res<Bdd>) -> Res<Bits> {
        debug_assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(a, b)| op(a, b)).collect()
    }

    pub fn ite(&self, condition: &Bdd, then: &[Bdd], otherwise: &[Bdd]) -> Res<Bits> {
        self.zip(then, otherwise, |t, e| self.bdds.ite(condition, t, e))
    }

    /// The sum and the carry out of the top bit.
    fn adder(&self, a: &[Bdd], b: &[Bdd], mut carry: Bdd) -> Res<(Bits, Bdd)> {
        let mut sum = Vec::with_capacity(a.len());
        for (x, y) in a.iter().zip(b) {
            let half = self.bdds.xor(x, y)?;
            sum.push(self.bdds.xor(&half, &carry)?);
            carry = self.bdds.ite(&half, &carry, x)?;
        }
        Ok((sum, carry))
    }

    pub fn add(&self, a: &[Bdd], b: &[Bdd]) -> Res<Bits> {
        Ok(self.adder(a, b, self.zero.clone())?.0)
    }

    pub fn sub(&self, a: &[Bdd], b: &[Bdd]) -> Res<Bits> {
        Ok(self.adder(a, &self.not(b)?, self.one.clone())?.0)
    }

    pub fn neg(&self, a: &[Bdd]) -> Res<Bits> {
        self.sub(&self.constant(0, a.len()), a)
    }

    /// The lower half of the product, which is the same for both signs.
    pub fn mul(&self, a: &[Bdd], b: &[Bdd]) -> Res<Bits> {
        let width = a.len();
        let mut sum = self.constant(0, width);
        for (i, bit) in b.iter().enumerate() {
            if *bit == self.zero {
                continue;
            }
            let shifted =
                (0..width).map(|j| if j < i { Ok(self.zero.clone()) } else { self.bdds.and(&a[j - i], bit) });
            sum = self.add(&sum, &shifted.collect::<Res<Bits>>()?)?;
        }
        Ok(sum)
    }

    /// Quotient and remainder of numbers without sign. A divisor of zero gives a quotient of ones and the dividend, as SMT-LIB has it.
    pub fn divide(&self, a: &[Bdd], b: &[Bdd]) -> Res<(Bits, Bits)> {
        let width = a.len();
        let divisor = self.resize(b, width + 1, false);
        let mut rest = self.constant(0, width + 1);
        let mut quotient = self.constant(0, width);
        for i in (0..width).rev() {
            rest.rotate_right(1);
            rest[0] = a[i].clone();
            let fits = self.less(&rest, &divisor, false)?.not()?;
            rest = self.ite(&fits, &self.sub(&rest, &divisor)?, &rest)?;
            quotient[i] = fits;
        }
        rest.truncate(width);
        Ok((quotient, rest))
    }

    /// Quotient rounded towards zero and remainder with the sign of the dividend.
    pub fn divide_signed(&self, a: &[Bdd], b: &[Bdd]) -> Res<(Bits, Bits)> {
        let (Some(minus_a), Some(minus_b)) = (a.last().cloned(), b.last().cloned()) else {
            return Ok((Vec::new(), Vec::new()));
        };
        let size = |x: &[Bdd], minus: &Bdd| self.ite(minus, &self.neg(x)?, x);
        let (quotient, rest) = self.divide(&size(a, &minus_a)?, &size(b, &minus_b)?)?;
        let differ = self.bdds.xor(&minus_a, &minus_b)?;
        Ok((
            self.ite(&differ, &self.neg(&quotient)?, &quotient)?,
            self.ite(&minus_a, &self.neg(&rest)?, &rest)?,
        ))
    }

    /// To the left, zeros from the right.
    pub fn shift_left(&self, a: &[Bdd], by: &[Bdd]) -> Res<Bits> {
        self.shift(
            a,
            by,
            |a, n| (0..a.len()).map(|i| i.checked_sub(n).map(|j| a[j].clone())).collect(),
            &self.zero,
        )
    }

    /// To the right; from the left come zeros, or copies of the sign.
    pub fn shift_right(&self, a: &[Bdd], by: &[Bdd], signed: bool) -> Res<Bits> {
        let fill = if signed { a.last().unwrap_or(&self.zero) } else { &self.zero };
        self.shift(a, by, |a, n| (0..a.len()).map(|i| a.get(i + n).cloned()).collect(), fill)
    }

    fn shift(
        &self,
        a: &[Bdd],
        by: &[Bdd],
        moved: impl Fn(&[Bdd], usize) -> Vec<Option<Bdd>>,
        fill: &Bdd,
    ) -> Res<Bits> {
        let mut result = a.to_vec();
        for (i, bit) in by.iter().enumerate() {
            // Beyond the width nothing of the number is left.
            let distance = if i < 16 { (1 << i).min(a.len()) } else { a.len() };
            let far = moved(&result, distance).into_iter().map(|b| b.unwrap_or_else(|| fill.clone()));
            result = self.ite(bit, &far.collect::<Bits>(), &result)?;
        }
        Ok(result)
    }

    pub fn equal(&self, a: &[Bdd], b: &[Bdd]) -> Res<Bdd> {
        debug_assert_eq!(a.len(), b.len());
        let mut all = self.one.clone();
        for (x, y) in a.iter().zip(b).rev() {
            all = self.bdds.and(&all, &self.bdds.xor(x, y)?.not()?)?;
        }
        Ok(all)
    }

    pub fn is_zero(&self, a: &[Bdd]) -> Res<Bdd> {
        self.equal(a, &self.constant(0, a.len()))
    }

    pub fn less(&self, a: &[Bdd], b: &[Bdd], signed: bool) -> Res<Bdd> {
        let mut less = self.zero.clone();
        for (i, (x, y)) in a.iter().zip(b).enumerate() {
            // Of two signs the set one is the smaller number.
            let (x, y) = if signed && i + 1 == a.len() { (y, x) } else { (x, y) };
            less = self.bdds.ite(&self.bdds.xor(x, y)?, y, &less)?;
        }
        Ok(less)
    }

    pub fn at_most(&self, a: &[Bdd], b: &[Bdd], signed: bool) -> Res<Bdd> {
        self.less(b, a, signed)?.not()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on all pairs of four bits, as circuits over constants and over variables, against machine arithmetic.
    #[test]
    fn circuits_are_arithmetic() {
        const W: usize = 4;
        let bdds = Bdds::new(1 << 16, 1 << 12);
        let c = Circuits::new(&bdds);
        let vars: Vec<_> = (0..2 * W).map(|_| bdds.new_var()).collect();
        let symbol = |from: usize| (0..W).map(|i| bdds.var(vars[2 * i + from]).unwrap()).collect::<Bits>();
        let (x, y) = (symbol(0), symbol(1));
        let (quotient, rest) = c.divide(&x, &y).unwrap();
        let (squotient, srest) = c.divide_signed(&x, &y).unwrap();
        let results: Vec<(&str, Bits)> = vec![
            ("add", c.add(&x, &y).unwrap()),
            ("sub", c.sub(&x, &y).unwrap()),
            ("mul", c.mul(&x, &y).unwrap()),
            ("div", quotient),
            ("rem", rest),
            ("sdiv", squotient),
            ("srem", srest),
            ("shl", c.shift_left(&x, &y).unwrap()),
            ("shr", c.shift_right(&x, &y, false).unwrap()),
            ("sar", c.shift_right(&x, &y, true).unwrap()),
            ("eq", vec![c.equal(&x, &y).unwrap()]),
            ("lt", vec![c.less(&x, &y, false).unwrap()]),
            ("slt", vec![c.less(&x, &y, true).unwrap()]),
            ("sle", vec![c.at_most(&x, &y, true).unwrap()]),
        ];
        let signed = |v: i32| if v >= 8 { v - 16 } else { v };
        for a in 0..16 {
            for b in 0..16 {
                let (sa, sb) = (signed(a), signed(b));
                let expected = |op: &str| match op {
                    "add" => a + b,
                    "sub" => a - b,
                    "mul" => a * b,
                    "div" => a.checked_div(b).unwrap_or(15),
                    "rem" => a.checked_rem(b).unwrap_or(a),
                    "sdiv" => sa.checked_div(sb).unwrap_or(if sa < 0 { 1 } else { -1 }),
                    "srem" => sa.checked_rem(sb).unwrap_or(sa),
                    "shl" => a << b,
                    "shr" => a >> b,
                    "sar" => sa >> b,
                    "eq" => i32::from(a == b),
                    "lt" => i32::from(a < b),
                    "slt" => i32::from(sa < sb),
                    _ => i32::from(sa <= sb),
                };
                let assignment = |i: usize| {
                    let value = if i.is_multiple_of(2) { a } else { b };
                    (i as u32, value >> (i / 2) & 1 == 1)
                };
                for (op, bits) in &results {
                    let mut value = 0;
                    for (i, bit) in bits.iter().enumerate() {
                        value |= i32::from(bit.eval((0..2 * W).map(assignment))) << i;
                    }
                    assert_eq!(value, expected(op) & ((1 << bits.len()) - 1), "{a} {op} {b}");
                }
            }
        }
    }
}
