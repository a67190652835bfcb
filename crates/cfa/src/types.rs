//! Types and their layout in memory.
//!
//! A machine integer has a width and a signedness and nothing else: `int` and `long` are the same type under ILP32,
//! `_Bool` is the unsigned integer of width 1 and a bit-field of `n` bits is an integer of width `n`. In memory an integer
//! takes the smallest power of two of bytes that holds it. The C standard's distinction between types of equal
//! representation (`int` and `long`, `char` and `signed char`) only matters while text is translated and stays
//! in the front end.

use crate::Name;
use index_vec::IndexVec;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

index_vec::define_index_type! { pub struct TypeId = u32; }
index_vec::define_index_type! { pub struct RecordId = u32; }

/// Widths of C's types: the two models of SV-COMP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DataModel {
    #[default]
    Ilp32,
    Lp64,
}

impl DataModel {
    pub fn pointer_bits(self) -> u16 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntTy {
    /// 1 to 128.
    pub width: u16,
    pub signed: bool,
}

impl IntTy {
    pub const fn new(width: u16, signed: bool) -> Self {
        IntTy { width, signed }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatTy {
    F32,
    F64,
    /// `long double`: 80 bits of x87 in 12 (ILP32) or 16 (LP64) bytes. Its arithmetic is not modelled.
    F80,
    /// `__float128`. Its arithmetic is not modelled.
    F128,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FuncTy {
    pub params: Box<[TypeId]>,
    pub ret: TypeId,
    pub variadic: bool,
    /// `f()` in a declaration: parameters not told.
    pub unprototyped: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    Void,
    /// A truth value: the type of comparisons and of what is assumed. It has no place in memory.
    Bool,
    Int(IntTy),
    Float(FloatTy),
    /// An address of something of that type (`Void` and `Func` included).
    Ptr(TypeId),
    /// `None`: of unknown length (`extern int a[];`, a flexible member).
    Array {
        elem: TypeId,
        len: Option<u64>,
    },
    Record(RecordId),
    Func(FuncTy),
    /// Boogie's `int`: unbounded.
    MathInt,
    /// Boogie's `real`.
    MathReal,
    /// Boogie's maps, total functions as values.
    Map {
        index: Box<[TypeId]>,
        elem: TypeId,
    },
    /// A type of which only equality is known.
    Opaque(Name),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordKind {
    Struct,
    Union,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Empty for anonymous members.
    pub name: Name,
    pub ty: TypeId,
    /// Byte offset. For a bit-field, of the byte that holds its first bit.
    pub offset: u64,
    /// For a bit-field the position of its first bit in that byte (0 to 7); its width is the width of `ty`.
    pub bit: Option<u8>,
}

/// A struct or union. Made incomplete, completed once.
#[derive(Debug, Clone)]
pub struct Record {
    pub name: Name,
    pub kind: RecordKind,
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
    pub complete: bool,
}

/// All types of a program, interned.
#[derive(Debug, Clone)]
pub struct Types {
    pub model: DataModel,
    set: IndexSet<Type, FxBuildHasher>,
    pub records: IndexVec<RecordId, Record>,
}

/// Ids of the types that exist in every program, in the order [`Types::new`] makes them.
impl Types {
    pub const VOID: TypeId = TypeId { _raw: 0 };
    pub const BOOL: TypeId = TypeId { _raw: 1 };
    /// `unsigned char`, what memory is made of.
    pub const BYTE: TypeId = TypeId { _raw: 2 };

    pub fn new(model: DataModel) -> Self {
        let mut types = Types { model, set: IndexSet::default(), records: IndexVec::new() };
        types.intern(Type::Void);
        types.intern(Type::Bool);
        types.int(8, false);
        types
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        TypeId::from_usize(self.set.insert_full(ty).0)
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.set[id.index()]
    }

    pub fn int(&mut self, width: u16, signed: bool) -> TypeId {
        self.intern(Type::Int(IntTy { width, signed }))
    }

    pub fn ptr(&mut self, to: TypeId) -> TypeId {
        self.intern(Type::Ptr(to))
    }

    pub fn array(&mut self, elem: TypeId, len: u64) -> TypeId {
        self.intern(Type::Array { elem, len: Some(len) })
    }

    /// The unsigned integer that `sizeof` gives.
    pub fn size_t(&mut self) -> TypeId {
        self.int(self.model.pointer_bits(), false)
    }

    /// The signed integer as wide as a pointer.
    pub fn ptrdiff_t(&mut self) -> TypeId {
        self.int(self.model.pointer_bits(), true)
    }

    pub fn len(&self) -> usize {
        self.set.len()
    }

    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    pub fn as_int(&self, id: TypeId) -> Option<IntTy> {
        match self.get(id) {
            Type::Int(int) => Some(*int),
            _ => None,
        }
    }

    /// The integer that a value of this type is made of in memory and registers: integers and pointers.
    pub fn as_word(&self, id: TypeId) -> Option<IntTy> {
        match self.get(id) {
            Type::Int(int) => Some(*int),
            Type::Ptr(_) => Some(IntTy { width: self.model.pointer_bits(), signed: false }),
            _ => None,
        }
    }

    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            Type::Ptr(to) => Some(*to),
            _ => None,
        }
    }

    pub fn is_ptr(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Ptr(_))
    }

    pub fn is_float(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Float(_))
    }

    /// Structs, unions, arrays: what is copied byte by byte.
    pub fn is_aggregate(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Record(_) | Type::Array { .. })
    }

    /// Size in bytes; `None` for what has none (void, functions, incomplete types, mathematical values).
    /// An array of unknown length counts as empty.
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Int(int) => Some(storage_bytes(int.width)),
            Type::Float(f) => Some(match (f, self.model) {
                (FloatTy::F32, _) => 4,
                (FloatTy::F64, _) => 8,
                (FloatTy::F80, DataModel::Ilp32) => 12,
                (FloatTy::F80, DataModel::Lp64) | (FloatTy::F128, _) => 16,
            }),
            Type::Ptr(_) => Some(u64::from(self.model.pointer_bits()) / 8),
            Type::Array { elem, len } => self.size_of(*elem)?.checked_mul(len.unwrap_or(0)),
            Type::Record(r) => {
                let record = &self.records[*r];
                record.complete.then_some(record.size)
            }
            _ => None,
        }
    }

    /// Alignment in bytes, as the System V ABIs for i386 and x86-64 have it.
    pub fn align_of(&self, id: TypeId) -> u64 {
        match self.get(id) {
            // i386 aligns 8-byte members to 4.
            Type::Int(int) => match self.model {
                DataModel::Ilp32 if int.width <= 64 => storage_bytes(int.width).min(4),
                _ => storage_bytes(int.width),
            },
            Type::Float(f) => match (f, self.model) {
                (FloatTy::F128, _) | (FloatTy::F80, DataModel::Lp64) => 16,
                (FloatTy::F64, DataModel::Lp64) => 8,
                _ => 4,
            },
            Type::Ptr(_) => u64::from(self.model.pointer_bits()) / 8,
            Type::Array { elem, .. } => self.align_of(*elem),
            Type::Record(r) => self.records[*r].align.max(1),
            _ => 1,
        }
    }

    pub fn new_record(&mut self, name: Name, kind: RecordKind) -> RecordId {
        self.records.push(Record { name, kind, fields: Vec::new(), size: 0, align: 1, complete: false })
    }
}

/// Bytes that an integer of this width takes in memory.
pub fn storage_bytes(width: u16) -> u64 {
    u64::from(width).div_ceil(8).next_power_of_two()
}
