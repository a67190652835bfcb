//! Sorts of terms.

use crate::term::Terms;

/// Names an array sort of a [`Terms`] store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArraySort(pub(crate) u32);

/// The sort of a term. Functions have signatures (see [`Terms::function`]), not sorts: terms are first-order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    Bool,
    Int,
    Real,
    /// Bit-vectors of this width, which is at least 1.
    BitVec(u32),
    /// See [`Terms::array_sort`] and [`Terms::array_parts`].
    Array(ArraySort),
}

impl Sort {
    /// Integers and reals.
    pub fn is_arithmetic(self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }

    /// The width of a bit-vector sort.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::BitVec(width) => Some(width),
            _ => None,
        }
    }
}

impl Terms {
    /// The sort in SMT-LIB's notation.
    pub fn sort_text(&self, sort: Sort) -> String {
        match sort {
            Sort::Bool => "Bool".into(),
            Sort::Int => "Int".into(),
            Sort::Real => "Real".into(),
            Sort::BitVec(width) => format!("(_ BitVec {width})"),
            Sort::Array(_) => {
                let (index, element) = self.array_parts(sort).expect("an array sort");
                format!("(Array {} {})", self.sort_text(index), self.sort_text(element))
            }
        }
    }
}
