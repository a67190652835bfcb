//! Substitution, rebuilding and free symbols.

use crate::sort::Sort;
use crate::term::{FunId, Op, SymbolId, TermId, Terms};
use rustc_hash::FxHashMap;

/// A simultaneous replacement of terms by terms of the same sort.
pub type Substitution = FxHashMap<TermId, TermId>;

/// Applies one substitution to many terms; work on shared subterms is done once.
#[derive(Debug)]
pub struct Substituter<'a> {
    terms: &'a Terms,
    done: Substitution,
}

impl<'a> Substituter<'a> {
    pub fn new(terms: &'a Terms, map: &Substitution) -> Self {
        debug_assert!(map.iter().all(|(a, b)| terms.sort(*a) == terms.sort(*b)));
        Substituter { terms, done: map.clone() }
    }

    pub fn apply(&mut self, term: TermId) -> TermId {
        let mut stack = vec![term];
        while let Some(top) = stack.last().copied() {
            if self.done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.terms.for_each_arg(top, |a| {
                if !self.done.contains_key(&a) {
                    stack.push(a);
                }
            });
            if stack.len() == before {
                let args = self.terms.args(top);
                let new: Vec<TermId> = args.iter().map(|a| self.done[a]).collect();
                let result =
                    if new.as_slice() == args.as_slice() { top } else { self.terms.rebuild(top, &new) };
                self.done.insert(top, result);
                stack.pop();
            }
        }
        self.done[&term]
    }
}

impl Terms {
    /// The term with every occurrence of a key replaced by its value (simultaneously), normalised again.
    pub fn substitute(&self, term: TermId, map: &Substitution) -> TermId {
        if map.is_empty() { term } else { Substituter::new(self, map).apply(term) }
    }

    /// A term with the head of `term` and other arguments, made by the normalising constructors.
    pub fn rebuild(&self, term: TermId, args: &[TermId]) -> TermId {
        match self.op(term) {
            Op::True | Op::False | Op::Symbol(_) | Op::Num(_) | Op::BigNum(_) => term,
            Op::Not => self.not(args[0]),
            Op::And => self.and(args.iter().copied()),
            Op::Or => self.or(args.iter().copied()),
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::Eq => self.eq(args[0], args[1]),
            Op::Le => self.le(args[0], args[1]),
            Op::Lt => self.lt(args[0], args[1]),
            Op::Add => self.sum(args.iter().copied(), self.sort(term)),
            Op::Mul => args[1..].iter().fold(args[0], |p, a| self.mul(p, *a)),
            Op::Div => self.div(args[0], args[1]),
            Op::Mod => self.modulo(args[0], args[1]),
            Op::ToReal => self.to_real(args[0]),
            Op::Apply(function) => self.apply(function, args),
            Op::Select => self.select(args[0], args[1]),
            Op::Store => self.store(args[0], args[1], args[2]),
            Op::ConstArray => self.const_array(self.sort(term), args[0]),
            Op::BvNot => self.bv_not(args[0]),
            Op::BvNeg => self.bv_neg(args[0]),
            Op::BvAnd => self.bv_and(args[0], args[1]),
            Op::BvOr => self.bv_or(args[0], args[1]),
            Op::BvXor => self.bv_xor(args[0], args[1]),
            Op::BvAdd => self.bv_add(args[0], args[1]),
            Op::BvMul => self.bv_mul(args[0], args[1]),
            Op::BvUdiv => self.bv_udiv(args[0], args[1]),
            Op::BvUrem => self.bv_urem(args[0], args[1]),
            Op::BvSdiv => self.bv_sdiv(args[0], args[1]),
            Op::BvSrem => self.bv_srem(args[0], args[1]),
            Op::BvShl => self.bv_shl(args[0], args[1]),
            Op::BvLshr => self.bv_lshr(args[0], args[1]),
            Op::BvAshr => self.bv_ashr(args[0], args[1]),
            Op::Concat => self.concat(args[0], args[1]),
            Op::Extract(high, low) => self.extract(high, low, args[0]),
            Op::ZeroExt(by) => self.zero_ext(by, args[0]),
            Op::SignExt(by) => self.sign_ext(by, args[0]),
            Op::BvUle => self.bv_ule(args[0], args[1]),
            Op::BvUlt => self.bv_ult(args[0], args[1]),
            Op::BvSle => self.bv_sle(args[0], args[1]),
            Op::BvSlt => self.bv_slt(args[0], args[1]),
            Op::BvToInt => self.bv_to_int(args[0]),
            Op::IntToBv => self.int_to_bv(args[0], self.sort(term).width().expect("a bit-vector")),
        }
    }

    /// The symbols of a term, ascending.
    pub fn symbols_of(&self, term: TermId) -> Vec<SymbolId> {
        self.symbols_of_all(&[term])
    }

    /// The symbols of some terms, ascending.
    pub fn symbols_of_all(&self, roots: &[TermId]) -> Vec<SymbolId> {
        let mut symbols: Vec<SymbolId> =
            self.postorder(roots).into_iter().filter_map(|t| self.as_symbol(t)).collect();
        symbols.sort_unstable();
        symbols
    }

    /// The uninterpreted functions of some terms, ascending.
    pub fn functions_of_all(&self, roots: &[TermId]) -> Vec<FunId> {
        let mut functions: Vec<FunId> = self
            .postorder(roots)
            .into_iter()
            .filter_map(|t| match self.op(t) {
                Op::Apply(f) => Some(f),
                _ => None,
            })
            .collect();
        functions.sort_unstable();
        functions.dedup();
        functions
    }

    /// Number of distinct subterms, the term included.
    pub fn dag_size(&self, term: TermId) -> usize {
        self.postorder(&[term]).len()
    }

    /// Terms that it has as a tree, each as often as it is used.
    pub fn tree_size(&self, term: TermId) -> u64 {
        let order = self.postorder(&[term]);
        let mut sizes: FxHashMap<TermId, u64> = FxHashMap::default();
        for id in order {
            let mut size = 1u64;
            self.for_each_arg(id, |arg| size = size.saturating_add(sizes[&arg]));
            sizes.insert(id, size);
        }
        sizes[&term]
    }

    /// Whether every subterm belongs to linear arithmetic over Booleans, integers and reals.
    pub fn is_linear(&self, roots: &[TermId]) -> bool {
        self.postorder(roots).into_iter().all(|t| match self.op(t) {
            Op::Mul => self.is_number(self.arg(t, 0)),
            Op::Symbol(_) => !matches!(self.sort(t), Sort::BitVec(_) | Sort::Array(_)),
            Op::Div | Op::Mod => self.is_number(self.arg(t, 1)),
            Op::Num(_) | Op::BigNum(_) => self.sort(t).is_arithmetic(),
            Op::Eq => !matches!(self.sort(self.arg(t, 0)), Sort::BitVec(_) | Sort::Array(_)),
            Op::True | Op::False | Op::Not | Op::And | Op::Or | Op::Ite => true,
            Op::Le | Op::Lt | Op::Add | Op::ToReal => true,
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitution_is_simultaneous_and_normalises() {
        let t = Terms::new();
        let (x, y) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int));
        let swap: Substitution = [(x, y), (y, x)].into_iter().collect();
        assert_eq!(t.substitute(t.lt(x, y), &swap), t.lt(y, x));
        let zero: Substitution = [(x, t.int(0)), (y, t.int(0))].into_iter().collect();
        assert_eq!(t.substitute(t.le(x, y), &zero), t.tru());
        assert_eq!(t.symbols_of(t.le(x, y)).len(), 2);
        assert!(t.is_linear(&[t.le(x, y)]));
        assert!(!t.is_linear(&[t.le(t.mul(x, y), y)]));
    }
}
