//! Enumerations, structs and the shapes of variables.

use craig_cfa::{Name, TypeId};
use rustc_hash::FxHashMap;

index_vec::define_index_type! { pub struct EnumId = u32; }
index_vec::define_index_type! { pub struct StructId = u32; }

/// Widest integer.
pub const MAX_BITS: u16 = 32;
/// Most cells of one variable.
pub const MAX_CELLS: u64 = 1 << 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elem {
    Bool,
    Int(u16),
    Enum(EnumId),
    Struct(StructId),
}

/// The indices of one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub lo: i128,
    pub hi: i128,
    /// Cells that there are: in the reading `wrap` more than indices.
    pub cells: u64,
}

/// What a variable, a field or a part of them holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    pub dims: Vec<Bounds>,
    pub elem: Elem,
    pub ty: TypeId,
}

impl Shape {
    /// May one be assigned to the other as a whole? The indices may be named differently.
    pub fn agrees(&self, other: &Shape) -> bool {
        let lengths = |shape: &Shape| shape.dims.iter().map(|b| b.hi - b.lo).collect::<Vec<_>>();
        self.ty == other.ty && self.elem == other.elem && lengths(self) == lengths(other)
    }

    pub fn is_scalar(&self) -> bool {
        self.dims.is_empty() && !matches!(self.elem, Elem::Struct(_))
    }
}

#[derive(Debug)]
pub struct Enum {
    pub name: Name,
    /// How many names it has.
    pub count: u64,
    pub ty: TypeId,
}

#[derive(Debug)]
pub struct Struct {
    pub ty: TypeId,
    pub fields: Vec<(Name, Shape)>,
}

/// Bits that a number takes.
pub fn bits(n: u128) -> u16 {
    (128 - n.leading_zeros()) as u16
}

/// Bits of the narrowest signed integer that has all numbers from `lo` to `hi`.
pub fn signed_bits(lo: i128, hi: i128) -> u16 {
    let of = |n: i128| bits(if n < 0 { !n } else { n }.cast_unsigned()) + 1;
    of(lo).max(of(hi))
}

/// A constant: a number, a truth value or a name of an enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constant {
    Int(i128),
    Bool(bool),
    Enum(EnumId, u64),
}

pub type Constants = FxHashMap<Name, Constant>;
