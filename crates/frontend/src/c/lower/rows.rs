//! Arrays whose rows have variable length: `int a[n][m]`.
//!
//! No type says how long such a row is. The array is a pointer to the elements of its innermost rows, the lengths of the rows are variables that are set where it is declared
//! ([`Symbol::Vla`]), and `a[i][j]` is `*(a + i * m + j)`. What takes the array, or a row that has such rows, as a whole (a call with it, `*a`) is not modelled; its size is.

use super::{Lower, Res, Symbol, Val};
use craig_base::Span;
use craig_cfa::{BinOp, ExprId, PlaceId, Type, VarId};
use lang_c::ast::{BinaryOperator as B, Expression as E};
use lang_c::span::Node;

impl<'a> Lower<'a> {
    /// The array of unknown length that begins where a pointer to its elements points.
    pub fn array_at(&mut self, pointer: ExprId) -> PlaceId {
        let elem = self.p.types.pointee(self.p.exprs.ty(pointer)).expect("an array is kept as a pointer");
        let array = self.p.types.intern(Type::Array { elem, len: None });
        let to_array = self.p.types.ptr(array);
        let pointer = self.p.exprs.cast(&self.p.types, pointer, to_array);
        self.p.exprs.deref(pointer, array)
    }

    /// If an expression is a part of an array with rows of variable length: the variable that points to its memory, and where in [`Lower::row_lengths`] the lengths of that part and its rows begin and end.
    pub fn row_of_array(&self, node: &'a Node<E>) -> Option<(VarId, u32, u32)> {
        match &node.node {
            E::Identifier(name) => match self.lookup(&name.node.name)? {
                Symbol::Vla { pointer, rows: (first, count), .. } if count > 0 => {
                    // Of the array itself the length is not kept.
                    Some((pointer, first, first + count))
                }
                _ => None,
            },
            E::BinaryOperator(binary) if binary.node.operator.node == B::Index => {
                let (pointer, first, end) = self.row_of_array(&binary.node.lhs)?;
                (first < end).then_some((pointer, first + 1, end))
            }
            _ => None,
        }
    }

    /// The size of an element of such an array, `a[i]`, that is a row.
    pub fn size_of_row(&mut self, (pointer, first, end): (VarId, u32, u32)) -> Val {
        let elem = self.p.types.pointee(self.p.vars[pointer].ty).expect("an array is kept as a pointer");
        let size = self.p.types.size_of(elem).unwrap_or(1);
        let mut size = self.size_const(size);
        for row in first - 1..end {
            let length = self.p.var_expr(self.row_lengths[row as usize]);
            size = self.p.exprs.binary(&self.p.types, BinOp::Mul, size, length);
        }
        Val::Expr(size)
    }

    /// `lhs[rhs]` if that is a row of such an array.
    pub fn row_at(&mut self, lhs: &'a Node<E>, rhs: &'a Node<E>, span: Span) -> Res<Option<Val>> {
        let Some((_, first, end)) = self.row_of_array(lhs).filter(|(_, first, end)| first < end) else {
            return Ok(None);
        };
        if first + 1 < end {
            self.not_modelled("a row with rows of variable length as a whole", span);
        }
        let start = self.start_of_row(lhs, rhs, span)?;
        let start = self.bounded(start, span);
        Ok(Some(Val::Place(self.array_at(start))))
    }

    /// Where the row `lhs[rhs]` of an array with rows of variable length begins, as a pointer to the elements of the innermost rows.
    fn start_of_row(&mut self, lhs: &'a Node<E>, rhs: &'a Node<E>, span: Span) -> Res<ExprId> {
        let (pointer, first, end) = self.row_of_array(lhs).expect("a part of such an array");
        let start = match &lhs.node {
            E::BinaryOperator(outer) => self.start_of_row(&outer.node.lhs, &outer.node.rhs, span)?,
            _ => self.p.var_expr(pointer),
        };
        let index = self.rvalue_of(rhs)?;
        if self.p.types.as_int(self.p.exprs.ty(index)).is_none() {
            return self.error("an index must be an integer", span);
        }
        let word = self.p.types.ptrdiff_t();
        let mut count = self.convert(index, word, span)?;
        for row in first..end {
            let length = self.p.var_expr(self.row_lengths[row as usize]);
            let length = self.convert(length, word, span)?;
            count = self.p.exprs.binary(&self.p.types, BinOp::Mul, count, length);
        }
        self.pointer_plus(start, count, false, span)
    }
}
