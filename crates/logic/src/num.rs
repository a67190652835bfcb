//! Exact rational numbers.
//!
//! A [`Rat`] is a fraction of two `i64` with `i128` intermediates; only when a result does not fit does it move to
//! `dashu`'s big rationals, and it moves back as soon as it fits again. Almost every number in verification
//! conditions is small, and the inline form is many times faster.
//!
//! Invariant: lowest terms, positive denominator, and the inline form exactly when both parts fit (the numerator
//! is never `i64::MIN`, so that negation cannot overflow). Hence derived equality and hashing are value equality.

use dashu::base::{Abs, BitTest, Gcd, Signed as _, UnsignedAbs};
use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// An exact rational number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rat(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64, i64),
    Big(Box<RBig>),
}
use Repr::{Big, Small};

fn gcd_u128(mut a: u128, mut b: u128) -> u128 {
    // Most operands fit a machine word; 128-bit division is slow.
    while b != 0 {
        if let (Ok(x), Ok(y)) = (u64::try_from(a), u64::try_from(b)) {
            return u128::from(gcd_u64(x, y));
        }
        (a, b) = (b, a % b);
    }
    a
}

pub(crate) fn gcd_u64(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn fits(n: i128) -> Option<i64> {
    i64::try_from(n).ok().filter(|n| *n != i64::MIN)
}

impl Rat {
    pub const ZERO: Rat = Rat(Small(0, 1));
    pub const ONE: Rat = Rat(Small(1, 1));
    pub const MINUS_ONE: Rat = Rat(Small(-1, 1));

    /// The fraction `num / den`; `den` must not be zero.
    pub fn new(num: i64, den: i64) -> Rat {
        assert!(den != 0, "a fraction with denominator zero");
        Rat::from_i128(i128::from(num), i128::from(den))
    }

    fn from_i128(num: i128, den: i128) -> Rat {
        let (num, den) = if den < 0 { (-num, -den) } else { (num, den) };
        let g = if den == 1 { 1 } else { gcd_u128(num.unsigned_abs(), den.unsigned_abs()) as i128 };
        let (num, den) = if g > 1 { (num / g, den / g) } else { (num, den) };
        match (fits(num), fits(den)) {
            (Some(n), Some(d)) => Rat(Small(n, d)),
            _ => Rat(Big(Box::new(RBig::from_parts_signed(IBig::from(num), IBig::from(den))))),
        }
    }

    fn from_big(value: RBig) -> Rat {
        match (i64::try_from(value.numerator()), i64::try_from(value.denominator())) {
            (Ok(n), Ok(d)) if n != i64::MIN => Rat(Small(n, d)),
            _ => Rat(Big(Box::new(value))),
        }
    }

    fn to_big(&self) -> RBig {
        match &self.0 {
            Small(n, d) => RBig::from_parts_signed(IBig::from(*n), IBig::from(*d)),
            Big(b) => (**b).clone(),
        }
    }

    pub fn from_ibig(value: IBig) -> Rat {
        match i64::try_from(&value) {
            Ok(n) if n != i64::MIN => Rat(Small(n, 1)),
            _ => Rat(Big(Box::new(RBig::from(value)))),
        }
    }

    pub fn numerator(&self) -> IBig {
        match &self.0 {
            Small(n, _) => IBig::from(*n),
            Big(b) => b.numerator().clone(),
        }
    }

    pub fn denominator(&self) -> UBig {
        match &self.0 {
            Small(_, d) => UBig::from(d.unsigned_abs()),
            Big(b) => b.denominator().clone(),
        }
    }

    /// The value when it is an integer that fits `i64`.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Small(n, 1) => Some(n),
            Big(ref b) if b.is_int() => i64::try_from(b.numerator()).ok(),
            _ => None,
        }
    }

    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }

    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1, 1))
    }

    pub fn is_minus_one(&self) -> bool {
        matches!(self.0, Small(-1, 1))
    }

    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, d) => *d == 1,
            Big(b) => b.is_int(),
        }
    }

    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Small(n, _) => *n < 0,
            Big(b) => b.is_negative(),
        }
    }

    pub fn is_positive(&self) -> bool {
        !self.is_zero() && !self.is_negative()
    }

    #[must_use]
    pub fn abs(&self) -> Rat {
        match &self.0 {
            Small(n, d) => Rat(Small(n.abs(), *d)),
            Big(b) => Rat(Big(Box::new((**b).clone().abs()))),
        }
    }

    /// The greatest integer not above the value.
    #[must_use]
    pub fn floor(&self) -> Rat {
        match &self.0 {
            Small(_, 1) => self.clone(),
            Small(n, d) => Rat(Small(n.div_euclid(*d), 1)),
            Big(b) => Rat::from_ibig((**b).floor()),
        }
    }

    /// The least integer not below the value.
    #[must_use]
    pub fn ceil(&self) -> Rat {
        -(-self.clone()).floor()
    }

    /// One over the value, which must not be zero.
    #[must_use]
    pub fn recip(&self) -> Rat {
        Rat::ONE / self.clone()
    }

    /// Greatest common divisor of two integers (not negative).
    #[must_use]
    pub fn gcd(&self, other: &Rat) -> Rat {
        match (&self.0, &other.0) {
            (Small(a, 1), Small(b, 1)) => {
                Rat::from_i128(i128::from(gcd_u64(a.unsigned_abs(), b.unsigned_abs())), 1)
            }
            _ => {
                let (a, b) = (self.numerator().unsigned_abs(), other.numerator().unsigned_abs());
                if a.is_zero() && b.is_zero() { Rat::ZERO } else { Rat::from_ibig(a.gcd(b).into()) }
            }
        }
    }

    /// Least common multiple of two positive integers.
    #[must_use]
    pub fn lcm(&self, other: &Rat) -> Rat {
        if self.is_one() {
            return other.clone();
        }
        if other.is_one() {
            return self.clone();
        }
        self * other / self.gcd(other)
    }

    /// The denominator as a number.
    #[must_use]
    pub fn den(&self) -> Rat {
        match &self.0 {
            Small(_, d) => Rat(Small(*d, 1)),
            Big(b) => Rat::from_ibig(b.denominator().clone().into()),
        }
    }

    /// Quotient and remainder of integers with `0 <= remainder < |divisor|` (SMT-LIB's `div` and `mod`).
    pub fn div_mod(&self, divisor: &Rat) -> (Rat, Rat) {
        let quotient = self / divisor;
        let quotient = if divisor.is_negative() { quotient.ceil() } else { quotient.floor() };
        let remainder = self - &(&quotient * divisor);
        (quotient, remainder)
    }

    /// `2^n`.
    pub fn pow2(n: u32) -> Rat {
        if n < 62 { Rat(Small(1 << n, 1)) } else { Rat::from_ibig(IBig::ONE << n as usize) }
    }

    /// Number of bits of the numerator and denominator together: a measure of how simple the number is.
    pub fn size(&self) -> usize {
        match &self.0 {
            Small(n, d) => (64 - n.unsigned_abs().leading_zeros() + 64 - d.leading_zeros()) as usize,
            Big(b) => b.numerator().bit_len() + b.denominator().bit_len(),
        }
    }

    /// Reads `12`, `-3`, `1.25` or `2/3`.
    pub fn parse(text: &str) -> Option<Rat> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        let value = if let Some((n, d)) = text.split_once('/') {
            let (n, d) = (Rat::parse(n)?, Rat::parse(d)?);
            if d.is_zero() {
                return None;
            }
            n / d
        } else if let Some((whole, fraction)) = text.split_once('.') {
            if !digits(whole) || !digits(fraction) {
                return None;
            }
            let scale = UBig::from(10u8).pow(fraction.len());
            let all = format!("{whole}{fraction}").parse::<IBig>().ok()?;
            Rat::from_ibig(all) / Rat::from_ibig(scale.into())
        } else if digits(text) {
            Rat::from_ibig(text.parse::<IBig>().ok()?)
        } else {
            return None;
        };
        Some(if negative { -value } else { value })
    }
}

impl From<i64> for Rat {
    fn from(n: i64) -> Rat {
        Rat::from_i128(i128::from(n), 1)
    }
}

impl From<i32> for Rat {
    fn from(n: i32) -> Rat {
        Rat(Small(i64::from(n), 1))
    }
}

impl From<u64> for Rat {
    fn from(n: u64) -> Rat {
        Rat::from_i128(i128::from(n), 1)
    }
}

impl Neg for Rat {
    type Output = Rat;
    fn neg(self) -> Rat {
        match self.0 {
            Small(n, d) => Rat(Small(-n, d)),
            Big(b) => Rat::from_big(-*b),
        }
    }
}

impl Neg for &Rat {
    type Output = Rat;
    fn neg(self) -> Rat {
        -self.clone()
    }
}

impl Add for &Rat {
    type Output = Rat;
    fn add(self, other: &Rat) -> Rat {
        match (&self.0, &other.0) {
            (Small(a, 1), Small(b, 1)) => Rat::from_i128(i128::from(*a) + i128::from(*b), 1),
            (Small(a, b), Small(c, d)) => {
                let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
                match (a * d).checked_add(c * b) {
                    Some(n) => Rat::from_i128(n, b * d),
                    None => Rat::from_big(self.to_big() + other.to_big()),
                }
            }
            _ => Rat::from_big(self.to_big() + other.to_big()),
        }
    }
}

impl Sub for &Rat {
    type Output = Rat;
    fn sub(self, other: &Rat) -> Rat {
        self + &-other
    }
}

impl Mul for &Rat {
    type Output = Rat;
    fn mul(self, other: &Rat) -> Rat {
        match (&self.0, &other.0) {
            (Small(a, b), Small(c, d)) => {
                Rat::from_i128(i128::from(*a) * i128::from(*c), i128::from(*b) * i128::from(*d))
            }
            _ => Rat::from_big(self.to_big() * other.to_big()),
        }
    }
}

impl Div for &Rat {
    type Output = Rat;
    fn div(self, other: &Rat) -> Rat {
        assert!(!other.is_zero(), "division of a rational by zero");
        match (&self.0, &other.0) {
            (Small(a, b), Small(c, d)) => {
                Rat::from_i128(i128::from(*a) * i128::from(*d), i128::from(*b) * i128::from(*c))
            }
            _ => Rat::from_big(self.to_big() / other.to_big()),
        }
    }
}

macro_rules! by_value {
    ($($tr:ident $f:ident),*) => {$(
        impl $tr for Rat {
            type Output = Rat;
            fn $f(self, other: Rat) -> Rat {
                $tr::$f(&self, &other)
            }
        }
        impl $tr<&Rat> for Rat {
            type Output = Rat;
            fn $f(self, other: &Rat) -> Rat {
                $tr::$f(&self, other)
            }
        }
    )*};
}
by_value!(Add add, Sub sub, Mul mul, Div div);

impl AddAssign<&Rat> for Rat {
    fn add_assign(&mut self, other: &Rat) {
        *self = &*self + other;
    }
}

impl Ord for Rat {
    fn cmp(&self, other: &Rat) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a, b), Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Rat {
    fn partial_cmp(&self, other: &Rat) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(n, 1) => write!(f, "{n}"),
            Small(n, d) => write!(f, "{n}/{d}"),
            Big(b) => write!(f, "{b}"),
        }
    }
}

impl fmt::Debug for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers near the borders of the inline form are drawn as often as small ones.
    fn number() -> impl Strategy<Value = (i64, i64)> {
        let part = prop_oneof![-20i64..20, Just(i64::MAX), Just(i64::MIN), any::<i64>()];
        (part.clone(), part.prop_filter("not zero", |d| *d != 0))
    }

    fn big((n, d): (i64, i64)) -> RBig {
        RBig::from_parts_signed(IBig::from(n), IBig::from(d))
    }

    proptest! {
        #[test]
        fn arithmetic_agrees_with_big_rationals(a in number(), b in number()) {
            let (x, y) = (Rat::new(a.0, a.1), Rat::new(b.0, b.1));
            let (p, q) = (big(a), big(b));
            prop_assert_eq!((&x + &y).to_big(), &p + &q);
            prop_assert_eq!((&x - &y).to_big(), &p - &q);
            prop_assert_eq!((&x * &y).to_big(), &p * &q);
            prop_assert_eq!(x.cmp(&y), p.cmp(&q));
            prop_assert_eq!(x.floor().to_big(), RBig::from(p.floor()));
            prop_assert_eq!(x.ceil().to_big(), RBig::from(p.ceil()));
            if !y.is_zero() {
                prop_assert_eq!((&x / &y).to_big(), &p / &q);
            }
            // The form is canonical: the way to a value does not matter.
            prop_assert_eq!(&(&x + &y) - &y, x);
        }
    }

    #[test]
    fn reads_and_prints() {
        for (text, printed) in [("12", "12"), ("-3", "-3"), ("1.25", "5/4"), ("4/6", "2/3"), ("-0.5", "-1/2")]
        {
            assert_eq!(Rat::parse(text).unwrap().to_string(), printed);
        }
        let long = "123456789012345678901234567890";
        assert_eq!(Rat::parse(long).unwrap().to_string(), long);
        for bad in ["", "-", "x", "1.", ".5", "1/0", "1.2.3", "--1"] {
            assert_eq!(Rat::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn euclidean_division() {
        let cases = [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1)];
        for (a, b, q, r) in cases {
            assert_eq!(Rat::from(a).div_mod(&Rat::from(b)), (Rat::from(q), Rat::from(r)));
        }
    }
}
