//! Where the arbitrary values of a run come from.
//!
//! Whatever a program leaves open is asked of a [`Chooser`] under a [`Key`] that does not depend on how passes changed the
//! program: the source edge that asks and how often it was executed before. The same keys name the choices of a counterexample, so
//! that [`Keyed`] replays it; what a counterexample does not mention is zero.

use super::value::Value;
use crate::program::{Choice, EdgeId, LocId};
use crate::types::{FloatTy, IntTy};
use crate::{Name, arith};
use dashu::integer::IBig;
use dashu::rational::RBig;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A scalar, or the leaf of an aggregate, or a byte of fresh memory.
    Value {
        /// Edge of the source program.
        edge: EdgeId,
        /// How often that edge was executed before.
        occurrence: u64,
        /// Byte offset inside the variable or the allocated object.
        offset: u64,
        /// First bit of a bit-field in that byte, else 0.
        bit: u8,
    },
    /// The entry of a map that was itself chosen.
    Entry { map: Arc<Key>, index: Box<[Value]> },
    /// The value of an uninterpreted function. Division by zero of mathematical numbers is such a function.
    Function { name: Name, args: Box<[Value]> },
}

/// The type of a scalar choice. The answer is cut to its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    Bool,
    Int(IntTy),
    /// An address of so many bits.
    Pointer(u16),
    Float(FloatTy),
    /// Any number names an element.
    Opaque,
}

/// Answers the questions of a run. `why` is there for the choices of `Havoc` operations.
pub trait Chooser {
    fn bits(&mut self, key: &Key, why: Option<&Choice>, ty: Scalar) -> u128;

    /// A mathematical integer.
    fn int(&mut self, key: &Key, why: Option<&Choice>) -> IBig;

    /// A mathematical real.
    fn real(&mut self, key: &Key, why: Option<&Choice>) -> RBig {
        RBig::from(self.int(key, why))
    }

    /// Content of fresh memory from byte `offset` on. The bytes come as zeros. Asked at most once for each byte, in any order.
    fn fill(&mut self, edge: EdgeId, occurrence: u64, offset: u64, bytes: &mut [u8]);

    /// Which of the enabled edges (of the source program, at least two) to take from a location that was visited `occurrence` times before.
    fn branch(&mut self, loc: LocId, occurrence: u64, enabled: &[EdgeId]) -> usize {
        let _ = (loc, occurrence, enabled);
        0
    }
}

/// Everything is zero, the first edge is taken.
#[derive(Debug, Clone, Copy, Default)]
pub struct Zero;

impl Chooser for Zero {
    fn bits(&mut self, _: &Key, _: Option<&Choice>, _: Scalar) -> u128 {
        0
    }

    fn int(&mut self, _: &Key, _: Option<&Choice>) -> IBig {
        IBig::ZERO
    }

    fn fill(&mut self, _: EdgeId, _: u64, _: u64, _: &mut [u8]) {}
}

/// Values that depend on the seed and the key only: small and extreme ones often, any value of the type sometimes.
#[derive(Debug, Clone, Copy)]
pub struct Random {
    seed: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random { seed }
    }

    fn rng(&self, key: &Key) -> SplitMix {
        let mut mix = SplitMix(self.seed);
        mix.absorb_key(key);
        mix
    }
}

impl Chooser for Random {
    fn bits(&mut self, key: &Key, _: Option<&Choice>, ty: Scalar) -> u128 {
        let mut rng = self.rng(key);
        match ty {
            Scalar::Bool => u128::from(rng.next() & 1),
            Scalar::Int(int) => interesting(&mut rng, int),
            // Mostly null: an arbitrary address is almost never one of an object.
            Scalar::Pointer(_) if rng.next() & 7 != 0 => 0,
            Scalar::Pointer(width) => arith::truncate(rng.wide() & !7, IntTy::new(width, false)),
            Scalar::Float(FloatTy::F32) => u128::from((small_float(&mut rng) as f32).to_bits()),
            Scalar::Float(FloatTy::F64) => u128::from(small_float(&mut rng).to_bits()),
            Scalar::Float(FloatTy::F80 | FloatTy::F128) => 0,
            Scalar::Opaque => u128::from(rng.next() & 7),
        }
    }

    fn int(&mut self, key: &Key, _: Option<&Choice>) -> IBig {
        let int = IntTy::new(64, true);
        let mut rng = self.rng(key);
        IBig::from(arith::to_i128(interesting(&mut rng, int), int))
    }

    fn fill(&mut self, edge: EdgeId, occurrence: u64, offset: u64, bytes: &mut [u8]) {
        // One draw for each aligned group of eight bytes, so that the content does not depend on how it is asked for.
        for (at, byte) in (offset..).zip(bytes) {
            let mut rng = self.rng(&Key::Value { edge, occurrence, offset: at & !7, bit: 0 });
            let word = if rng.next() & 1 == 0 { rng.next() & 0xff } else { rng.next() };
            *byte = word.to_le_bytes()[(at & 7) as usize];
        }
    }

    fn branch(&mut self, loc: LocId, occurrence: u64, enabled: &[EdgeId]) -> usize {
        let mut rng = SplitMix(self.seed);
        rng.absorb(u64::from(loc.raw()));
        rng.absorb(occurrence);
        (rng.next() % enabled.len() as u64) as usize
    }
}

fn small_float(rng: &mut SplitMix) -> f64 {
    let n = (rng.next() % 2001) as f64 - 1000.0;
    if rng.next() & 1 == 0 { n } else { n / 16.0 }
}

fn interesting(rng: &mut SplitMix, ty: IntTy) -> u128 {
    let (min, max) = arith::bounds(ty);
    let v = match rng.next() % 16 {
        0..=2 => 0,
        3 | 4 => 1,
        5 => u128::MAX,
        6..=8 => u128::from(rng.next() % 16),
        9 => u128::from(rng.next() % 16).wrapping_neg(),
        10 => min.wrapping_add(u128::from(rng.next() % 3)),
        11 => max.wrapping_sub(u128::from(rng.next() % 3)),
        12 => 1 << (rng.next() % u64::from(ty.width)),
        13 => u128::from(rng.next() % 1024),
        _ => rng.wide(),
    };
    arith::truncate(v, ty)
}

/// Vigna's SplitMix64: good enough to scatter keys, and the same on every machine.
pub(super) struct SplitMix(pub(super) u64);

impl SplitMix {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    pub(super) fn absorb(&mut self, word: u64) {
        self.0 ^= word;
        self.0 = self.next();
    }

    pub(super) fn absorb_key(&mut self, key: &Key) {
        match key {
            Key::Value { edge, occurrence, offset, bit } => {
                for word in [u64::from(edge.raw()), *occurrence, *offset, u64::from(*bit)] {
                    self.absorb(word);
                }
            }
            Key::Entry { map, index } => {
                self.absorb_key(map);
                index.iter().for_each(|v| self.absorb_value(v));
            }
            Key::Function { name, args } => {
                name.bytes().for_each(|b| self.absorb(u64::from(b)));
                args.iter().for_each(|v| self.absorb_value(v));
            }
        }
    }

    fn absorb_value(&mut self, value: &Value) {
        match value {
            Value::Bits(v) => {
                self.absorb(*v as u64);
                self.absorb((*v >> 64) as u64);
            }
            other => format!("{other:?}").bytes().for_each(|b| self.absorb(u64::from(b))),
        }
    }
}

/// A list of values for the nondeterministic functions, used in order; another chooser for everything else and when the list ends.
pub struct Values<'a> {
    list: std::vec::IntoIter<i128>,
    rest: Box<dyn Chooser + 'a>,
}

impl<'a> Values<'a> {
    pub fn new(list: Vec<i128>, rest: impl Chooser + 'a) -> Self {
        Values { list: list.into_iter(), rest: Box::new(rest) }
    }

    fn next(&mut self, why: Option<&Choice>) -> Option<i128> {
        if matches!(why, Some(Choice::Nondet(_))) { self.list.next() } else { None }
    }

    /// How many values were not used.
    pub fn left(&self) -> usize {
        self.list.len()
    }
}

impl std::fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Values").field("list", &self.list).finish_non_exhaustive()
    }
}

impl Chooser for Values<'_> {
    fn bits(&mut self, key: &Key, why: Option<&Choice>, ty: Scalar) -> u128 {
        match (self.next(why), ty) {
            (Some(v), Scalar::Bool) => u128::from(v != 0),
            (Some(v), Scalar::Int(int)) if int.width == 1 => u128::from(v != 0),
            (Some(v), Scalar::Float(float)) => super::float::from_int(v, float).unwrap_or(0),
            (Some(v), _) => v.cast_unsigned(),
            (None, _) => self.rest.bits(key, why, ty),
        }
    }

    fn int(&mut self, key: &Key, why: Option<&Choice>) -> IBig {
        self.next(why).map_or_else(|| self.rest.int(key, why), IBig::from)
    }

    fn fill(&mut self, edge: EdgeId, occurrence: u64, offset: u64, bytes: &mut [u8]) {
        self.rest.fill(edge, occurrence, offset, bytes);
    }

    fn branch(&mut self, loc: LocId, occurrence: u64, enabled: &[EdgeId]) -> usize {
        self.rest.branch(loc, occurrence, enabled)
    }
}

/// The choices of a counterexample. What is not among them is zero.
///
/// A leaf of an aggregate and a scalar have [`Value::Bits`] under the key of their offset. The content of fresh memory, and of
/// unions inside arbitrary aggregates, has [`Value::Bytes`] under the key of its first byte. A counterexample may know an object as other
/// leaves than the run asks for: where a key is not there, the bits come from what lies around it.
#[derive(Debug, Clone, Default)]
pub struct Keyed {
    pub values: BTreeMap<Key, Value>,
    /// The edge of the source program taken at a location of the source program on its so-many-th visit.
    pub branches: BTreeMap<(LocId, u64), EdgeId>,
}

impl Keyed {
    /// The bytes of a chosen object from `offset` on, whatever leaves they were chosen as.
    pub fn content(&self, edge: EdgeId, occurrence: u64, offset: u64, bytes: &mut [u8]) {
        let at = |offset| Key::Value { edge, occurrence, offset, bit: 0 };
        let end = offset.saturating_add(bytes.len() as u64);
        for (key, value) in self.values.range(at(0)..at(end)) {
            let Key::Value { offset: start, bit, .. } = key else { continue };
            let content = match value {
                Value::Bytes(content) => content.to_vec(),
                // Beyond its width there are zeros.
                Value::Bits(bits) => (bits << bit).to_le_bytes().to_vec(),
                _ => continue,
            };
            for (pos, byte) in (*start..end).zip(content).filter(|(pos, _)| *pos >= offset) {
                bytes[(pos - offset) as usize] |= byte;
            }
        }
    }
}

impl Chooser for Keyed {
    fn bits(&mut self, key: &Key, _: Option<&Choice>, ty: Scalar) -> u128 {
        match (self.values.get(key), key) {
            (Some(Value::Bits(v)), _) => *v,
            (_, &Key::Value { edge, occurrence, offset, bit }) => {
                let mut bytes = [0; 16];
                self.content(edge, occurrence, offset, &mut bytes);
                let bits = u128::from_le_bytes(bytes) >> bit;
                match ty {
                    // Whatever is not zero becomes true: what lies behind the byte is no part of it, nor are other bit-fields in it.
                    Scalar::Bool | Scalar::Int(IntTy { width: 1, .. }) => {
                        let at = |bit| Key::Value { edge, occurrence, offset, bit };
                        let packed = bit > 0 || self.values.range(at(1)..=at(u8::MAX)).next().is_some();
                        bits & if packed { 1 } else { 0xff }
                    }
                    _ => bits,
                }
            }
            _ => 0,
        }
    }

    fn int(&mut self, key: &Key, _: Option<&Choice>) -> IBig {
        match self.values.get(key) {
            Some(Value::Int(v)) => v.clone(),
            Some(Value::Bits(v)) => IBig::from(*v),
            _ => IBig::ZERO,
        }
    }

    fn real(&mut self, key: &Key, why: Option<&Choice>) -> RBig {
        match self.values.get(key) {
            Some(Value::Real(v)) => (**v).clone(),
            _ => RBig::from(self.int(key, why)),
        }
    }

    fn fill(&mut self, edge: EdgeId, occurrence: u64, offset: u64, bytes: &mut [u8]) {
        self.content(edge, occurrence, offset, bytes);
    }

    fn branch(&mut self, loc: LocId, occurrence: u64, enabled: &[EdgeId]) -> usize {
        let wanted = self.branches.get(&(loc, occurrence));
        wanted.and_then(|w| enabled.iter().position(|e| e == w)).unwrap_or(0)
    }
}

/// Passes every question on and keeps the answers, so that a run can be told and repeated.
pub struct Recording<'a> {
    inner: &'a mut dyn Chooser,
    /// In the order they were asked; at most `limit`. Fresh memory is among them as bytes where it is not zero.
    pub asked: Vec<(Key, Option<Choice>, Value)>,
    /// Edges picked, as in [`Keyed::branches`]; at most `limit`.
    pub branches: BTreeMap<(LocId, u64), EdgeId>,
    limit: usize,
    /// Answers beyond the limit.
    pub dropped: u64,
}

impl<'a> Recording<'a> {
    pub fn new(inner: &'a mut dyn Chooser, limit: usize) -> Self {
        Recording { inner, asked: Vec::new(), branches: BTreeMap::new(), limit, dropped: 0 }
    }

    fn keep(&mut self, key: &Key, why: Option<&Choice>, value: Value) {
        if self.asked.len() < self.limit {
            self.asked.push((key.clone(), why.cloned(), value));
        } else {
            self.dropped += 1;
        }
    }

    /// The answers as choices to replay.
    pub fn keyed(&self) -> Keyed {
        let values = self.asked.iter().map(|(key, _, value)| (key.clone(), value.clone())).collect();
        Keyed { values, branches: self.branches.clone() }
    }
}

impl std::fmt::Debug for Recording<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl Chooser for Recording<'_> {
    fn bits(&mut self, key: &Key, why: Option<&Choice>, ty: Scalar) -> u128 {
        let v = self.inner.bits(key, why, ty);
        let v = match ty {
            Scalar::Bool => v & 1,
            Scalar::Int(int) => arith::truncate(v, int),
            Scalar::Pointer(width) => v & arith::mask(width),
            Scalar::Float(_) | Scalar::Opaque => v,
        };
        self.keep(key, why, Value::Bits(v));
        v
    }

    fn int(&mut self, key: &Key, why: Option<&Choice>) -> IBig {
        let v = self.inner.int(key, why);
        self.keep(key, why, Value::Int(v.clone()));
        v
    }

    fn real(&mut self, key: &Key, why: Option<&Choice>) -> RBig {
        let v = self.inner.real(key, why);
        self.keep(key, why, Value::Real(Box::new(v.clone())));
        v
    }

    fn fill(&mut self, edge: EdgeId, occurrence: u64, offset: u64, bytes: &mut [u8]) {
        self.inner.fill(edge, occurrence, offset, bytes);
        if bytes.iter().any(|b| *b != 0) {
            let key = Key::Value { edge, occurrence, offset, bit: 0 };
            self.keep(&key, None, Value::Bytes((&*bytes).into()));
        }
    }

    fn branch(&mut self, loc: LocId, occurrence: u64, enabled: &[EdgeId]) -> usize {
        let picked = self.inner.branch(loc, occurrence, enabled);
        if self.branches.len() >= self.limit {
            self.dropped += 1;
        } else if let Some(edge) = enabled.get(picked) {
            self.branches.insert((loc, occurrence), *edge);
        }
        picked
    }
}
