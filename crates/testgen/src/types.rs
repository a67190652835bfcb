//! Types of the generated programs.

/// Integer types of C.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Int {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    Long,
    ULong,
    I64,
    U64,
}

/// To choose from: common ones often, `_Bool` last.
pub const INTS: &[Int] = &[
    Int::I8,
    Int::U8,
    Int::I16,
    Int::U16,
    Int::I32,
    Int::I32,
    Int::I32,
    Int::U32,
    Int::U32,
    Int::Long,
    Int::ULong,
    Int::I64,
    Int::U64,
    Int::Bool,
];

impl Int {
    pub fn name(self) -> &'static str {
        match self {
            Int::Bool => "_Bool",
            Int::I8 => "signed char",
            Int::U8 => "unsigned char",
            Int::I16 => "short",
            Int::U16 => "unsigned short",
            Int::I32 => "int",
            Int::U32 => "unsigned",
            Int::Long => "long",
            Int::ULong => "unsigned long",
            Int::I64 => "long long",
            Int::U64 => "unsigned long long",
        }
    }

    /// The last word of the function that makes an arbitrary value.
    pub fn nondet(self) -> &'static str {
        match self {
            Int::Bool => "bool",
            Int::I8 => "char",
            Int::U8 => "uchar",
            Int::I16 => "short",
            Int::U16 => "ushort",
            Int::I32 => "int",
            Int::U32 => "uint",
            Int::Long => "long",
            Int::ULong => "ulong",
            Int::I64 => "longlong",
            Int::U64 => "ulonglong",
        }
    }

    pub fn signed(self) -> bool {
        matches!(self, Int::I8 | Int::I16 | Int::I32 | Int::Long | Int::I64)
    }

    /// Bits that it has in every data model.
    pub fn bits(self) -> u32 {
        match self {
            Int::Bool => 1,
            Int::I8 | Int::U8 => 8,
            Int::I16 | Int::U16 => 16,
            Int::I32 | Int::U32 | Int::Long | Int::ULong => 32,
            Int::I64 | Int::U64 => 64,
        }
    }

    fn rank(self) -> u32 {
        match self {
            Int::Bool | Int::I8 | Int::U8 | Int::I16 | Int::U16 | Int::I32 | Int::U32 => 0,
            Int::Long | Int::ULong => 1,
            Int::I64 | Int::U64 => 2,
        }
    }

    pub fn promoted(self) -> Int {
        if self.bits() < 32 { Int::I32 } else { self }
    }

    /// The usual arithmetic conversions (C11 6.3.1.8), near enough: a result taken for signed is never narrower than said.
    pub fn common(self, other: Int) -> Int {
        let (a, b) = (self.promoted(), other.promoted());
        let (high, low) = if a.rank() >= b.rank() { (a, b) } else { (b, a) };
        if high.rank() == low.rank() && !low.signed() { low } else { high }
    }

    /// A type whose values and their products fit into this one.
    pub fn half(self) -> Int {
        match self {
            Int::I64 | Int::U64 => Int::I32,
            Int::I32 | Int::U32 | Int::Long | Int::ULong => Int::I16,
            _ => Int::I8,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ty {
    Int(Int),
    /// A bit-field.
    Bits(Int, u32),
    Array(Box<Ty>, u32),
    /// By its number.
    Record(usize),
    Ptr(Box<Ty>),
}

#[derive(Debug, Clone)]
pub struct Record {
    pub name: String,
    pub union: bool,
    pub fields: Vec<(String, Ty)>,
}

impl Ty {
    pub fn as_int(&self) -> Option<Int> {
        match self {
            Ty::Int(int) | Ty::Bits(int, _) => Some(*int),
            _ => None,
        }
    }

    /// A declaration of a name with this type.
    pub fn declare(&self, name: &str, records: &[Record]) -> String {
        match self {
            Ty::Int(int) => format!("{} {name}", int.name()),
            Ty::Bits(int, bits) => format!("{} {name} : {bits}", int.name()),
            Ty::Record(r) => format!("{} {name}", records[*r].name),
            Ty::Array(of, n) => of.declare(&format!("{name}[{n}]"), records),
            Ty::Ptr(to) => to.declare(&format!("*{name}"), records),
        }
    }
}
