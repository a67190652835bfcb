//! Array constructors. A read over writes is resolved as far as the indices are surely equal or surely different.

use crate::linear::Linear;
use crate::num::Rat;
use crate::sort::Sort;
use crate::term::{Op, TermId, Terms};

impl Terms {
    /// The array of this sort that holds `element` everywhere.
    pub fn const_array(&self, sort: Sort, element: TermId) -> TermId {
        debug_assert_eq!(self.array_parts(sort).map(|p| p.1), Some(self.sort(element)));
        self.mk(Op::ConstArray, &[element], sort)
    }

    /// The element at an index.
    pub fn select(&self, array: TermId, index: TermId) -> TermId {
        let (_, element) = self.array_parts(self.sort(array)).expect("an array");
        let mut array = array;
        loop {
            match self.op(array) {
                Op::Store => {
                    let args = self.args(array);
                    match self.surely_equal(args[1], index) {
                        Some(true) => return args[2],
                        Some(false) => array = args[0],
                        None => break,
                    }
                }
                Op::ConstArray => return self.arg(array, 0),
                _ => break,
            }
        }
        self.mk(Op::Select, &[array, index], element)
    }

    /// The array with `element` at `index`.
    pub fn store(&self, array: TermId, index: TermId, element: TermId) -> TermId {
        debug_assert_eq!(self.array_parts(self.sort(array)), Some((self.sort(index), self.sort(element))));
        if self.op(element) == Op::Select && self.args(element).as_slice() == [array, index] {
            return array;
        }
        let mut base = array;
        if self.op(array) == Op::Store && self.arg(array, 1) == index {
            base = self.arg(array, 0);
        }
        self.mk(Op::Store, &[base, index, element], self.sort(array))
    }

    /// Whether two terms are equal in every model, different in every model, or neither as far as can be seen.
    fn surely_equal(&self, a: TermId, b: TermId) -> Option<bool> {
        if a == b {
            return Some(true);
        }
        match self.sort(a) {
            Sort::Int | Sort::Real => {
                let difference: Linear = self.linear(a).plus(&Rat::MINUS_ONE, &self.linear(b));
                difference.is_constant().then(|| difference.constant.is_zero())
            }
            Sort::BitVec(_) => {
                let ((x, m), (y, n)) = (self.bv_offset(a), self.bv_offset(b));
                (x == y).then_some(m == n)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_look_through_writes() {
        let t = Terms::new();
        let a = t.symbol("a", t.array_sort(Sort::Int, Sort::Int));
        let (i, v) = (t.symbol("i", Sort::Int), t.symbol("v", Sort::Int));
        let next = t.add(i, t.int(1));
        let written = t.store(a, i, v);
        assert_eq!(t.select(written, i), v);
        assert_eq!(t.select(written, next), t.select(a, next));
        assert_eq!(t.store(a, i, t.select(a, i)), a);
        assert_eq!(t.store(t.store(a, i, next), i, v), written);
        assert_eq!(t.select(t.const_array(t.sort(a), v), i), v);
    }
}
