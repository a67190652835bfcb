//! The state of a program as terms.

use crate::Arith;
use crate::memory::{CellId, CellKind, Layout};
use craig_cfa::{Program, Type, TypeId};
use craig_logic::{Sort, TermId, Terms};
use index_vec::IndexVec;

/// A term for each cell, and for the address where the next object of the heap goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    pub cells: IndexVec<CellId, TermId>,
    pub heap: TermId,
}

/// The sort of a value of a scalar type.
pub fn sort(program: &Program, terms: &Terms, arith: Arith, ty: TypeId) -> Sort {
    match program.types.get(ty) {
        Type::Bool => Sort::Bool,
        Type::MathReal => Sort::Real,
        Type::MathInt | Type::Opaque(_) => Sort::Int,
        Type::Map { index, elem } => {
            // Several indices: one array in another.
            let elem = sort(program, terms, arith, *elem);
            index.iter().rev().fold(elem, |elem, i| {
                let index = sort(program, terms, arith, *i);
                terms.array_sort(index, elem)
            })
        }
        Type::Int(int) if arith == Arith::Bv => Sort::BitVec(u32::from(int.width)),
        Type::Ptr(_) if arith == Arith::Bv => address_sort(program, arith),
        Type::Float(_) if arith == Arith::Bv => {
            Sort::BitVec(program.types.size_of(ty).map_or(64, |bytes| bytes as u32 * 8))
        }
        _ => Sort::Int,
    }
}

/// The sort of addresses.
pub fn address_sort(program: &Program, arith: Arith) -> Sort {
    match arith {
        Arith::Int => Sort::Int,
        Arith::Bv => Sort::BitVec(u32::from(program.types.model.pointer_bits())),
    }
}

/// The sort of what a cell holds; `None` for one that holds nothing.
pub fn cell_sort(
    program: &Program,
    terms: &Terms,
    arith: Arith,
    layout: &Layout,
    cell: CellId,
) -> Option<Sort> {
    let cell = &layout.cells()[cell];
    let value = sort(program, terms, arith, cell.ty);
    match cell.kind {
        CellKind::Scalar { .. } => Some(value),
        CellKind::Array => Some(terms.array_sort(address_sort(program, arith), value)),
        CellKind::Bytes if arith == Arith::Bv => {
            Some(terms.array_sort(address_sort(program, arith), Sort::BitVec(8)))
        }
        CellKind::Bytes => None,
    }
}
