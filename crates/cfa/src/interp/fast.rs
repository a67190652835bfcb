//! The short way through expressions: machine values of at most 64 bits, which is nearly all of C.
//!
//! When a program is made ready each expression gets a [`Fast`] form with types resolved to widths. Whatever is rare, and every case where C
//! leaves the result undefined, goes the long way through `eval`, which computes with [`crate::arith`] and words the reports. The
//! two ways agree: a property test compares them.

use super::code::{Class, Storage};
use super::end::R;
use super::machine::Machine;
use crate::expr::{BinOp, Const, ExprId, ExprKind, PlaceId, PlaceKind, UnOp};
use crate::program::{Program, VarId};
use crate::types::{IntTy, TypeId};
use index_vec::IndexVec;

/// An integer type of at most 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Narrow {
    width: u8,
    signed: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Fast {
    /// The long way.
    Slow,
    Const(u64),
    Local(u32),
    Global(u32),
    /// Read of a scalar in memory.
    Load(PlaceId),
    Add(Narrow, ExprId, ExprId),
    Sub(Narrow, ExprId, ExprId),
    Mul(Narrow, ExprId, ExprId),
    Shl(Narrow, ExprId, ExprId),
    Shr(Narrow, ExprId, ExprId),
    BitAnd(ExprId, ExprId),
    BitOr(ExprId, ExprId),
    BitXor(ExprId, ExprId),
    /// Comparisons of the bits serve all types without sign, and truth values.
    Eq(ExprId, ExprId),
    Ne(ExprId, ExprId),
    Lt(Narrow, ExprId, ExprId),
    Le(Narrow, ExprId, ExprId),
    And(ExprId, ExprId),
    Or(ExprId, ExprId),
    Not(ExprId),
    BitNot(Narrow, ExprId),
    /// Between integers: from this type, to so many bits.
    Convert(Narrow, u8, ExprId),
    /// The bits as they are.
    Same(ExprId),
    Ite(ExprId, ExprId, ExprId),
}

/// Where an assignment of a scalar goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum FastPlace {
    Local(u32),
    Global(u32),
    Other,
}

impl Narrow {
    fn of(class: Class) -> Option<Narrow> {
        match class {
            Class::Word(IntTy { width: width @ 1..=64, signed }) => {
                Some(Narrow { width: width as u8, signed })
            }
            _ => None,
        }
    }

    fn cut(self, v: u64) -> u64 {
        v & (u64::MAX >> (64 - self.width))
    }

    /// The bits as a signed number, whether the type is signed or not.
    fn signed_value(self, v: u64) -> i64 {
        let unused = 64 - self.width;
        (v << unused).cast_signed() >> unused
    }

    /// The wrapped result, if it is the exact one or wrapping is right.
    fn judged(self, result: (i64, bool), wrap: bool) -> Option<u64> {
        let cut = self.cut(result.0.cast_unsigned());
        (!self.signed || wrap || !result.1 && self.signed_value(cut) == result.0).then_some(cut)
    }
}

pub(super) fn places(program: &Program, storage: &IndexVec<VarId, Storage>) -> IndexVec<PlaceId, FastPlace> {
    let place = |p| match program.exprs.place(PlaceId::from_usize(p)).kind {
        PlaceKind::Var(var) => match storage[var] {
            Storage::Slot { global: true, index } => FastPlace::Global(index),
            Storage::Slot { global: false, index } => FastPlace::Local(index),
            _ => FastPlace::Other,
        },
        _ => FastPlace::Other,
    };
    (0..program.exprs.place_count()).map(place).collect()
}

pub(super) fn exprs(
    program: &Program,
    class: &IndexVec<TypeId, Class>,
    places: &IndexVec<PlaceId, FastPlace>,
) -> IndexVec<ExprId, Fast> {
    (0..program.exprs.len()).map(|e| form(program, class, places, ExprId::from_usize(e))).collect()
}

fn form(
    program: &Program,
    class: &IndexVec<TypeId, Class>,
    places: &IndexVec<PlaceId, FastPlace>,
    e: ExprId,
) -> Fast {
    let expr = program.exprs.get(e);
    let class_of = |e: ExprId| class[program.exprs.ty(e)];
    let narrow = |e: ExprId| Narrow::of(class_of(e));
    // Words, and truth values as words of one bit.
    let plain = |e: ExprId| class_of(e) == Class::Bool || narrow(e).is_some();
    if !plain(e) {
        return Fast::Slow;
    }
    let short = match expr.kind {
        ExprKind::Const(Const::Bits(v)) => u64::try_from(v).ok().map(Fast::Const),
        ExprKind::Const(Const::Bool(v)) => Some(Fast::Const(u64::from(v))),
        ExprKind::Read(place) => Some(match places[place] {
            FastPlace::Local(index) => Fast::Local(index),
            FastPlace::Global(index) => Fast::Global(index),
            FastPlace::Other => Fast::Load(place),
        }),
        ExprKind::Unary(UnOp::Not, a) if plain(a) => Some(Fast::Not(a)),
        ExprKind::Unary(UnOp::BitNot, a) => narrow(a).map(|n| Fast::BitNot(n, a)),
        ExprKind::Binary(op, a, b) if plain(a) && plain(b) => binary(op, narrow(a), a, b),
        ExprKind::Cast(a) => match (class_of(a), narrow(a), Narrow::of(class[expr.ty])) {
            (Class::Bool, _, _) => Some(Fast::Same(a)),
            (_, Some(from), Some(to)) if to.width <= from.width && to.width == 64 => Some(Fast::Same(a)),
            (_, Some(from), Some(to)) => Some(Fast::Convert(from, to.width, a)),
            _ => None,
        },
        ExprKind::Ite(c, a, b) => Some(Fast::Ite(c, a, b)),
        _ => None,
    };
    short.unwrap_or(Fast::Slow)
}

fn binary(op: BinOp, narrow: Option<Narrow>, a: ExprId, b: ExprId) -> Option<Fast> {
    match (op, narrow) {
        (BinOp::And, None) => Some(Fast::And(a, b)),
        (BinOp::Or, None) => Some(Fast::Or(a, b)),
        (BinOp::Eq, _) | (BinOp::Iff, None) => Some(Fast::Eq(a, b)),
        (BinOp::Ne, _) => Some(Fast::Ne(a, b)),
        (BinOp::Add, Some(n)) => Some(Fast::Add(n, a, b)),
        (BinOp::Sub, Some(n)) => Some(Fast::Sub(n, a, b)),
        (BinOp::Mul, Some(n)) => Some(Fast::Mul(n, a, b)),
        (BinOp::Shl, Some(n)) => Some(Fast::Shl(n, a, b)),
        (BinOp::Shr, Some(n)) => Some(Fast::Shr(n, a, b)),
        (BinOp::Lt, Some(n)) => Some(Fast::Lt(n, a, b)),
        (BinOp::Le, Some(n)) => Some(Fast::Le(n, a, b)),
        (BinOp::BitAnd, Some(_)) => Some(Fast::BitAnd(a, b)),
        (BinOp::BitOr, Some(_)) => Some(Fast::BitOr(a, b)),
        (BinOp::BitXor, Some(_)) => Some(Fast::BitXor(a, b)),
        _ => None,
    }
}

impl Machine<'_, '_> {
    /// Value of an expression whose type has at most 64 bits.
    pub fn eval64(&mut self, e: ExprId) -> R<u64> {
        let value = match self.code.fast[e] {
            Fast::Slow => None,
            Fast::Const(v) => Some(v),
            Fast::Local(index) => self.slots.get(self.base + index as usize).map(|v| *v as u64),
            Fast::Global(index) => self.slots.get(index as usize).map(|v| *v as u64),
            Fast::Load(place) => return self.read_bits(place).map(|v| v as u64),
            Fast::Add(n, a, b) => {
                let (x, y) = (self.eval64(a)?, self.eval64(b)?);
                n.judged(n.signed_value(x).overflowing_add(n.signed_value(y)), self.wrap)
            }
            Fast::Sub(n, a, b) => {
                let (x, y) = (self.eval64(a)?, self.eval64(b)?);
                n.judged(n.signed_value(x).overflowing_sub(n.signed_value(y)), self.wrap)
            }
            Fast::Mul(n, a, b) => {
                let (x, y) = (self.eval64(a)?, self.eval64(b)?);
                n.judged(n.signed_value(x).overflowing_mul(n.signed_value(y)), self.wrap)
            }
            Fast::Shl(n, a, b) => {
                let (x, amount) = (self.eval64(a)?, self.eval64(b)?);
                self.shift_amount(n, b, amount).map(|s| n.cut(x << s))
            }
            Fast::Shr(n, a, b) => {
                let (x, amount) = (self.eval64(a)?, self.eval64(b)?);
                self.shift_amount(n, b, amount)
                    .map(|s| if n.signed { n.cut((n.signed_value(x) >> s).cast_unsigned()) } else { x >> s })
            }
            Fast::BitAnd(a, b) => Some(self.eval64(a)? & self.eval64(b)?),
            Fast::BitOr(a, b) => Some(self.eval64(a)? | self.eval64(b)?),
            Fast::BitXor(a, b) => Some(self.eval64(a)? ^ self.eval64(b)?),
            Fast::Eq(a, b) => Some(u64::from(self.eval64(a)? == self.eval64(b)?)),
            Fast::Ne(a, b) => Some(u64::from(self.eval64(a)? != self.eval64(b)?)),
            Fast::Lt(n, a, b) => {
                let (x, y) = (self.eval64(a)?, self.eval64(b)?);
                Some(u64::from(if n.signed { n.signed_value(x) < n.signed_value(y) } else { x < y }))
            }
            Fast::Le(n, a, b) => {
                let (x, y) = (self.eval64(a)?, self.eval64(b)?);
                Some(u64::from(if n.signed { n.signed_value(x) <= n.signed_value(y) } else { x <= y }))
            }
            Fast::And(a, b) => Some(if self.eval64(a)? == 0 { 0 } else { self.eval64(b)? }),
            Fast::Or(a, b) => Some(if self.eval64(a)? != 0 { 1 } else { self.eval64(b)? }),
            Fast::Not(a) => Some(u64::from(self.eval64(a)? == 0)),
            Fast::BitNot(n, a) => Some(n.cut(!self.eval64(a)?)),
            Fast::Convert(from, to, a) => {
                let v = self.eval64(a)?;
                let v = if from.signed { from.signed_value(v).cast_unsigned() } else { v };
                Some(v & (u64::MAX >> (64 - to)))
            }
            Fast::Same(a) => return self.eval64(a),
            Fast::Ite(c, a, b) => {
                let taken = if self.eval64(c)? != 0 { a } else { b };
                return self.eval64(taken);
            }
        };
        match value {
            Some(v) => Ok(v),
            None => self.eval_slow(e).map(|v| v as u64),
        }
    }

    /// A defined amount of a shift.
    fn shift_amount(&self, n: Narrow, amount: ExprId, v: u64) -> Option<u32> {
        // Below the width of the value, and not a negative number of a type so narrow that it looks small.
        let ty = Narrow::of(self.code.class[self.p.exprs.ty(amount)])?;
        let negative = ty.signed && ty.signed_value(v) < 0;
        (v < u64::from(n.width) && !negative).then_some(v as u32)
    }

    /// Assigns a scalar.
    pub fn assign_bits(&mut self, place: PlaceId, e: ExprId) -> R<()> {
        let v = self.eval_bits(e)?;
        if !self.tracing {
            let slot = match self.code.fast_places[place] {
                FastPlace::Local(index) => Some(self.base + index as usize),
                FastPlace::Global(index) => Some(index as usize),
                FastPlace::Other => None,
            };
            if let Some(slot) = slot.and_then(|s| self.slots.get_mut(s)) {
                *slot = v;
                return Ok(());
            }
        }
        self.write_bits(place, v)
    }
}
