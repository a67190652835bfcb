//! Bounds of expressions.
//!
//! An interval for the mathematical value of an expression, from its type and its shape alone: a byte that was widened is at
//! most 255, a remainder is below the divisor. Arithmetic whose exact result stays in its type needs no wrap-around.

use craig_cfa::{BinOp, ExprId, ExprKind, IntTy, PlaceId, PlaceKind, Program, Type, TypeId, UnOp, arith};
use rustc_hash::FxHashMap;

/// Inclusive bounds. `None` where `i128` does not hold them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub low: i128,
    pub high: i128,
}

impl Range {
    pub fn new(low: i128, high: i128) -> Self {
        Range { low, high }
    }

    pub fn exactly(value: i128) -> Self {
        Range { low: value, high: value }
    }

    /// All values of a machine integer, for widths below 127.
    pub fn of(ty: IntTy) -> Option<Range> {
        if ty.width >= 127 {
            return None;
        }
        let (low, high) = arith::bounds(ty);
        Some(Range { low: arith::to_i128(low, ty), high: high.cast_signed() })
    }

    pub fn within(self, outer: Range) -> bool {
        outer.low <= self.low && self.high <= outer.high
    }

    fn corners(self, other: Range, op: impl Fn(i128, i128) -> Option<i128>) -> Option<Range> {
        let all = [
            op(self.low, other.low)?,
            op(self.low, other.high)?,
            op(self.high, other.low)?,
            op(self.high, other.high)?,
        ];
        Some(Range { low: *all.iter().min()?, high: *all.iter().max()? })
    }

    pub fn plus(self, other: Range) -> Option<Range> {
        self.corners(other, i128::checked_add)
    }

    pub fn minus(self, other: Range) -> Option<Range> {
        self.corners(other, i128::checked_sub)
    }

    pub fn times(self, other: Range) -> Option<Range> {
        self.corners(other, i128::checked_mul)
    }

    pub fn union(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// Remembers what it computed.
#[derive(Debug, Default)]
pub struct Ranges {
    known: FxHashMap<ExprId, Option<Range>>,
}

impl Ranges {
    /// Bounds of an integer or pointer expression.
    pub fn of(&mut self, program: &Program, e: ExprId) -> Option<Range> {
        if let Some(range) = self.known.get(&e) {
            return *range;
        }
        let range = self.compute(program, e);
        self.known.insert(e, range);
        range
    }

    fn compute(&mut self, program: &Program, e: ExprId) -> Option<Range> {
        let ty = program.exprs.ty(e);
        let whole = word_range(program, ty);
        let shaped = match *program.exprs.kind(e) {
            // Where an address lies that was computed: it does not wrap around.
            ExprKind::PtrAdd(p, n) => {
                let size = program.types.pointee(ty).and_then(|to| program.types.size_of(to)).unwrap_or(1);
                let moved = self.moved(program, n, size)?;
                return self.of(program, p)?.plus(moved);
            }
            ExprKind::AddrOf(place) => return self.of_place(program, place),
            ExprKind::Const(_) => program.exprs.as_int(&program.types, e).map(Range::exactly),
            ExprKind::Cast(inner)
                if program.types.is_ptr(ty) && program.types.is_ptr(program.exprs.ty(inner)) =>
            {
                return self.of(program, inner);
            }
            ExprKind::Cast(inner) => match program.types.get(program.exprs.ty(inner)) {
                Type::Bool => Some(Range::new(0, 1)),
                Type::Int(_) | Type::Ptr(_) => self.of(program, inner),
                _ => None,
            },
            ExprKind::Ite(_, a, b) => match (self.of(program, a), self.of(program, b)) {
                (Some(a), Some(b)) => Some(a.union(b)),
                _ => None,
            },
            ExprKind::Unary(UnOp::Neg, a) => self.of(program, a).and_then(|a| Range::exactly(0).minus(a)),
            ExprKind::Binary(op, a, b) if !op.is_comparison() && !op.is_logic() => {
                match (self.of(program, a), self.of(program, b)) {
                    (Some(a), Some(b)) => binary(op, a, b),
                    _ => None,
                }
            }
            _ => None,
        };
        // A result outside of the type wraps around, or is undefined: then only the type bounds it.
        match (shaped, whole) {
            (Some(s), Some(w)) if s.within(w) => Some(s),
            _ => whole,
        }
    }
}

impl Ranges {
    /// Bounds of the address of a place. Variables lie in the address space.
    fn of_place(&mut self, program: &Program, place: PlaceId) -> Option<Range> {
        let place = program.exprs.place(place);
        let size = program.types.size_of(place.ty).unwrap_or(1);
        match place.kind {
            PlaceKind::Var(_) => Range::of(IntTy::new(program.types.model.pointer_bits(), false)),
            PlaceKind::Deref(e) => self.of(program, e),
            PlaceKind::Field(of, index) => {
                let Type::Record(r) = *program.types.get(program.exprs.place(of).ty) else { return None };
                let offset = program.types.records[r].fields.get(index as usize)?.offset;
                self.of_place(program, of)?.plus(Range::exactly(offset.into()))
            }
            PlaceKind::Index(of, index) => {
                let moved = self.moved(program, index, size)?;
                self.of_place(program, of)?.plus(moved)
            }
        }
    }

    /// Bounds of a count of elements in bytes. What is beyond half of the address space moves back.
    fn moved(&mut self, program: &Program, count: ExprId, size: u64) -> Option<Range> {
        let width =
            program.types.as_word(program.exprs.ty(count))?.width.max(program.types.model.pointer_bits());
        let half = Range::of(IntTy::new(width, true))?;
        let count = self.of(program, count).filter(|range| range.within(half)).unwrap_or(half);
        let bytes = count.times(Range::exactly(size.into()))?;
        Some(if bytes.within(half) { bytes } else { bytes.union(half) })
    }
}

/// Bounds of the exact result.
pub(crate) fn binary(op: BinOp, a: Range, b: Range) -> Option<Range> {
    match op {
        BinOp::Add => a.plus(b),
        BinOp::Sub => a.minus(b),
        BinOp::Mul => a.times(b),
        BinOp::Div if b.low > 0 => a.corners(b, i128::checked_div),
        BinOp::Rem if b.low > 0 => {
            let largest = b.high - 1;
            Some(Range::new(if a.low < 0 { -largest.min(-a.low) } else { 0 }, largest.min(a.high.max(0))))
        }
        BinOp::BitAnd if b.low >= 0 => {
            Some(Range::new(0, if a.low >= 0 { a.high.min(b.high) } else { b.high }))
        }
        BinOp::BitAnd if a.low >= 0 => Some(Range::new(0, a.high)),
        BinOp::BitOr | BinOp::BitXor if a.low >= 0 && b.low >= 0 => {
            let bits = 128 - a.high.max(b.high).leading_zeros();
            (bits < 127).then(|| Range::new(0, (1 << bits) - 1))
        }
        BinOp::Shr if b.low >= 0 && b.high < 127 => {
            let shift = |x: i128, n: i128| Some(x >> n);
            a.corners(b, shift)
        }
        BinOp::Shl if b.low == b.high && (0..120).contains(&b.low) => {
            a.times(Range::exactly(1i128.checked_shl(b.low as u32)?))
        }
        _ => None,
    }
}

/// All values of an integer or pointer type.
pub fn word_range(program: &Program, ty: TypeId) -> Option<Range> {
    Range::of(program.types.as_word(ty)?)
}
