//! Boolean constructors, equality and if-then-else.
//!
//! Normal form: `and`/`or` are flat, have at least two arguments in ascending order without repetition, no constants
//! and no complementary pair. Equality of Booleans is between positive terms. Implication and exclusive or are
//! expressed with these.

use crate::num::Rat;
use crate::sort::Sort;
use crate::term::{Args, Op, TermId, Terms};

impl Terms {
    pub fn tru(&self) -> TermId {
        self.bool(true)
    }

    pub fn fls(&self) -> TermId {
        self.bool(false)
    }

    pub fn bool(&self, value: bool) -> TermId {
        // Fixed by `Terms::new`.
        TermId(u32::from(value))
    }

    pub fn is_true(&self, term: TermId) -> bool {
        term == self.tru()
    }

    pub fn is_false(&self, term: TermId) -> bool {
        term == self.fls()
    }

    pub fn not(&self, term: TermId) -> TermId {
        match self.op(term) {
            Op::True => self.fls(),
            Op::False => self.tru(),
            Op::Not => self.arg(term, 0),
            _ => self.mk(Op::Not, &[term], Sort::Bool),
        }
    }

    /// The term without an outer negation, and whether there was none.
    pub fn atom(&self, literal: TermId) -> (TermId, bool) {
        match self.op(literal) {
            Op::Not => (self.arg(literal, 0), false),
            _ => (literal, true),
        }
    }

    pub fn and(&self, args: impl IntoIterator<Item = TermId>) -> TermId {
        self.junction(Op::And, args)
    }

    pub fn or(&self, args: impl IntoIterator<Item = TermId>) -> TermId {
        self.junction(Op::Or, args)
    }

    fn junction(&self, op: Op, args: impl IntoIterator<Item = TermId>) -> TermId {
        let unit = self.bool(op == Op::And);
        let zero = self.not(unit);
        let mut flat = Args::new();
        for arg in args {
            debug_assert_eq!(self.sort(arg), Sort::Bool);
            if arg == zero {
                return zero;
            } else if arg == unit {
                continue;
            } else if self.op(arg) == op {
                flat.extend(self.args(arg));
            } else {
                flat.push(arg);
            }
        }
        flat.sort_unstable();
        flat.dedup();
        for arg in &flat {
            if self.op(*arg) == Op::Not && flat.binary_search(&self.arg(*arg, 0)).is_ok() {
                return zero;
            }
        }
        match flat.len() {
            0 => unit,
            1 => flat[0],
            _ => self.mk(op, &flat, Sort::Bool),
        }
    }

    pub fn implies(&self, premise: TermId, conclusion: TermId) -> TermId {
        self.or([self.not(premise), conclusion])
    }

    pub fn iff(&self, a: TermId, b: TermId) -> TermId {
        self.eq(a, b)
    }

    pub fn xor(&self, a: TermId, b: TermId) -> TermId {
        self.not(self.eq(a, b))
    }

    /// If `condition` then `a` else `b`, of any sort.
    pub fn ite(&self, condition: TermId, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if a == b || self.is_true(condition) {
            return a;
        }
        if self.is_false(condition) {
            return b;
        }
        if self.op(condition) == Op::Not {
            return self.ite(self.arg(condition, 0), b, a);
        }
        if self.sort(a) == Sort::Bool {
            if self.is_true(a) || condition == a {
                return self.or([condition, b]);
            }
            if self.is_false(a) {
                return self.and([self.not(condition), b]);
            }
            if self.is_true(b) {
                return self.or([self.not(condition), a]);
            }
            if self.is_false(b) || condition == b {
                return self.and([condition, a]);
            }
            if self.not(a) == b {
                return self.eq(condition, a);
            }
        }
        self.mk(Op::Ite, &[condition, a, b], self.sort(a))
    }

    pub fn eq(&self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if a == b {
            return self.tru();
        }
        match self.sort(a) {
            Sort::Bool => self.eq_bool(a, b),
            Sort::Int | Sort::Real => self.eq_linear(a, b),
            _ => {
                if self.is_number(a) && self.is_number(b) {
                    return self.fls();
                }
                if let Some(simpler) = self.eq_ite(a, b).or_else(|| self.eq_ite(b, a)) {
                    return simpler;
                }
                self.mk(Op::Eq, &[a.min(b), a.max(b)], Sort::Bool)
            }
        }
    }

    /// `ite(c, k1, k2) = k` with numbers: encodings of C comparisons are full of it.
    fn eq_ite(&self, a: TermId, b: TermId) -> Option<TermId> {
        if self.op(a) != Op::Ite || !self.is_number(b) {
            return None;
        }
        let args = self.args(a);
        let numbers = self.is_number(args[1]) && self.is_number(args[2]);
        numbers.then(|| self.choose(args[0], args[1] == b, args[2] == b))
    }

    /// If `condition` then `a` else `b`, for known truth values.
    pub(crate) fn choose(&self, condition: TermId, a: bool, b: bool) -> TermId {
        match (a, b) {
            (true, true) => self.tru(),
            (true, false) => condition,
            (false, true) => self.not(condition),
            (false, false) => self.fls(),
        }
    }

    fn eq_bool(&self, a: TermId, b: TermId) -> TermId {
        let ((a, pa), (b, pb)) = (self.atom(a), self.atom(b));
        let positive = pa == pb;
        let (a, b) = (a.min(b), a.max(b));
        // Constants have the smallest ids; `not true` does not exist.
        let same = if a == b {
            self.tru()
        } else if self.is_true(a) {
            b
        } else if self.is_false(a) {
            self.not(b)
        } else {
            self.mk(Op::Eq, &[a, b], Sort::Bool)
        };
        if positive { same } else { self.not(same) }
    }

    pub fn distinct(&self, a: TermId, b: TermId) -> TermId {
        self.not(self.eq(a, b))
    }

    /// The conjuncts of a term: its arguments if it is a conjunction, none if it is `true`, else itself.
    pub fn conjuncts(&self, term: TermId) -> Args {
        match self.op(term) {
            Op::And => self.args(term),
            Op::True => Args::new(),
            _ => Args::from_slice(&[term]),
        }
    }

    /// The disjuncts of a term: its arguments if it is a disjunction, none if it is `false`, else itself.
    pub fn disjuncts(&self, term: TermId) -> Args {
        match self.op(term) {
            Op::Or => self.args(term),
            Op::False => Args::new(),
            _ => Args::from_slice(&[term]),
        }
    }

    /// Whether the term is Boolean and built with connectives (so not an atom).
    pub fn is_connective(&self, term: TermId) -> bool {
        match self.op(term) {
            Op::True | Op::False | Op::Not | Op::And | Op::Or => true,
            Op::Ite => self.sort(term) == Sort::Bool,
            Op::Eq => self.sort(self.arg(term, 0)) == Sort::Bool,
            _ => false,
        }
    }

    /// The atoms of the terms, ascending: Boolean terms that are not connectives, once each, without polarity.
    /// Conditions of an if-then-else inside an atom count too.
    pub fn atoms(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut order = self.postorder(roots);
        order.retain(|t| self.sort(*t) == Sort::Bool && !self.is_connective(*t));
        order
    }

    /// The function applied to its arguments.
    pub fn apply(&self, function: crate::FunId, args: &[TermId]) -> TermId {
        let signature = self.signature(function);
        assert_eq!(signature.domain.len(), args.len(), "number of arguments");
        debug_assert!(signature.domain.iter().zip(args).all(|(s, a)| *s == self.sort(*a)));
        self.mk(Op::Apply(function), args, signature.range)
    }

    /// An integer.
    pub fn int(&self, value: i64) -> TermId {
        self.mk(Op::Num(value), &[], Sort::Int)
    }

    /// A number of sort `Int` or `Real`; an integer sort needs an integer.
    pub fn numeral(&self, value: &Rat, sort: Sort) -> TermId {
        assert!(sort == Sort::Real || sort == Sort::Int && value.is_integer(), "{value} is not an integer");
        self.mk_number(value, sort)
    }

    /// A real number.
    pub fn real(&self, value: &Rat) -> TermId {
        self.mk_number(value, Sort::Real)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn junctions_are_flat_and_sorted() {
        let t = Terms::new();
        let p: Vec<_> = ["p", "q", "r"].iter().map(|n| t.symbol(n, Sort::Bool)).collect();
        assert_eq!(t.and([p[0], t.and([p[2], p[1]])]), t.and([p[1], p[0], p[2], p[0], t.tru()]));
        assert_eq!(t.and([p[0], t.not(p[0])]), t.fls());
        assert_eq!(t.or([p[0], t.not(p[0])]), t.tru());
        assert_eq!(t.and([]), t.tru());
        assert_eq!(t.or([p[1]]), p[1]);
        assert_eq!(t.not(t.not(p[0])), p[0]);
    }

    #[test]
    fn boolean_equality_and_ite_fold() {
        let t = Terms::new();
        let (p, q) = (t.symbol("p", Sort::Bool), t.symbol("q", Sort::Bool));
        assert_eq!(t.eq(p, t.tru()), p);
        assert_eq!(t.eq(t.fls(), p), t.not(p));
        assert_eq!(t.eq(t.not(p), t.not(q)), t.eq(q, p));
        assert_eq!(t.eq(t.not(p), q), t.not(t.eq(p, q)));
        assert_eq!(t.eq(p, t.not(p)), t.fls());
        assert_eq!(t.ite(p, t.tru(), t.fls()), p);
        assert_eq!(t.ite(t.not(p), q, t.tru()), t.or([p, q]));
        let one_or_zero = t.ite(p, t.int(1), t.int(0));
        assert_eq!(t.eq(one_or_zero, t.int(0)), t.not(p));
        assert_eq!(t.eq(one_or_zero, t.int(2)), t.fls());
        assert_eq!(t.le(one_or_zero, t.int(0)), t.not(p));
    }
}
