//! Evaluation under a model.
//!
//! Every term has a value: what the model leaves open gets the default of its sort. Division and remainder of
//! integers by zero, which SMT-LIB leaves open, are zero and the dividend; a solver may choose otherwise, so
//! encoders guard their divisions.

use crate::bits;
use crate::num::Rat;
use crate::sort::Sort;
use crate::term::{Op, TermId, Terms};
use crate::value::{ArrayValue, Model, Value};
use dashu::base::UnsignedAbs;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Evaluates terms under one model and remembers the values of all subterms.
#[derive(Debug)]
pub struct Evaluator<'a> {
    terms: &'a Terms,
    model: &'a Model,
    values: FxHashMap<TermId, Value>,
}

impl<'a> Evaluator<'a> {
    pub fn new(terms: &'a Terms, model: &'a Model) -> Self {
        Evaluator { terms, model, values: FxHashMap::default() }
    }

    /// The value of a term.
    pub fn eval(&mut self, term: TermId) -> Value {
        if let Some(value) = self.values.get(&term) {
            return value.clone();
        }
        // Arguments first, with a stack of our own: terms can be deep.
        let mut stack = vec![term];
        while let Some(top) = stack.last().copied() {
            if self.values.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.for_each_needed(top, |a| {
                if !self.values.contains_key(&a) {
                    stack.push(a);
                }
            });
            if stack.len() == before {
                let value = self.step(top);
                self.values.insert(top, value);
                stack.pop();
            }
        }
        self.values[&term].clone()
    }

    /// The value of a Boolean term.
    pub fn holds(&mut self, term: TermId) -> bool {
        self.eval(term) == Value::Bool(true)
    }

    /// Terms whose values make the value of this one: its arguments. Of writes on writes, those of all down to a known array: an array
    /// for each write would be a copy of all entries each.
    fn for_each_needed(&self, term: TermId, mut f: impl FnMut(TermId)) {
        let mut at = term;
        while self.terms.op(at) == Op::Store {
            let args = self.terms.args(at);
            f(args[1]);
            f(args[2]);
            at = args[0];
            if self.terms.op(at) != Op::Store || self.values.contains_key(&at) {
                return f(at);
            }
        }
        self.terms.for_each_arg(at, f);
    }

    /// The array after the writes down to a known one.
    fn written(&self, term: TermId) -> Value {
        let mut writes = Vec::new();
        let mut at = term;
        let base = loop {
            if let Some(Value::Array(base)) = self.values.get(&at) {
                break base;
            }
            let args = self.terms.args(at);
            writes.push((args[1], args[2]));
            at = args[0];
        };
        let mut array = ArrayValue::clone(base);
        for (index, element) in writes.iter().rev() {
            array.set(self.values[index].clone(), self.values[element].clone());
        }
        Value::Array(Arc::new(array))
    }

    fn step(&self, term: TermId) -> Value {
        let t = self.terms;
        let args = t.args(term);
        let value = |i: usize| &self.values[&args[i]];
        let truth = |i: usize| *value(i) == Value::Bool(true);
        let num = |i: usize| value(i).as_num().expect("a number");
        let bv = |i: usize| match value(i) {
            Value::Bv(width, v) => (*width, v),
            other => unreachable!("a bit-vector, not {other:?}"),
        };
        let op = t.op(term);
        match op {
            Op::True => Value::Bool(true),
            Op::False => Value::Bool(false),
            Op::Symbol(symbol) => {
                self.model.get(symbol).cloned().unwrap_or_else(|| Value::default_of(t, t.sort(term)))
            }
            Op::Num(_) | Op::BigNum(_) => {
                let number = t.number(term).expect("a number");
                match t.sort(term) {
                    Sort::BitVec(width) => Value::Bv(width, number.numerator().unsigned_abs()),
                    _ => Value::Num(number),
                }
            }
            Op::Not => Value::Bool(!truth(0)),
            Op::And => Value::Bool((0..args.len()).all(truth)),
            Op::Or => Value::Bool((0..args.len()).any(truth)),
            Op::Ite => value(if truth(0) { 1 } else { 2 }).clone(),
            Op::Eq => Value::Bool(value(0) == value(1)),
            Op::Le => Value::Bool(num(0) <= num(1)),
            Op::Lt => Value::Bool(num(0) < num(1)),
            Op::Add => Value::Num((0..args.len()).fold(Rat::ZERO, |s, i| &s + num(i))),
            Op::Mul => Value::Num((0..args.len()).fold(Rat::ONE, |p, i| &p * num(i))),
            Op::Div if num(1).is_zero() => Value::Num(Rat::ZERO),
            Op::Mod if num(1).is_zero() => value(0).clone(),
            Op::Div => Value::Num(num(0).div_mod(num(1)).0),
            Op::Mod => Value::Num(num(0).div_mod(num(1)).1),
            Op::ToReal => value(0).clone(),
            Op::Apply(function) => {
                let key: Vec<Value> = (0..args.len()).map(|i| value(i).clone()).collect();
                match self.model.function(function) {
                    Some(f) => f.entries.get(&key).unwrap_or(&f.default).clone(),
                    None => Value::default_of(t, t.sort(term)),
                }
            }
            Op::Select => match value(0) {
                Value::Array(array) => array.get(value(1)).clone(),
                other => unreachable!("an array, not {other:?}"),
            },
            Op::Store => self.written(term),
            Op::ConstArray => {
                Value::Array(Arc::new(ArrayValue { default: value(0).clone(), entries: BTreeMap::new() }))
            }
            Op::Concat => {
                let ((wa, a), (wb, b)) = (bv(0), bv(1));
                Value::Bv(wa + wb, (a << wb as usize) | b)
            }
            Op::BvUle | Op::BvUlt | Op::BvSle | Op::BvSlt => {
                let ((width, a), (_, b)) = (bv(0), bv(1));
                Value::Bool(bits::compare(op, width, a, b).expect("a comparison"))
            }
            Op::BvToInt => Value::Num(Rat::from_ibig(bv(0).1.clone().into())),
            Op::IntToBv => {
                let width = t.sort(term).width().expect("a bit-vector");
                Value::Bv(width, bits::wrap(num(0).numerator(), width))
            }
            _ => {
                let width = t.sort(term).width().expect("a bit-vector");
                let operands: Vec<_> = (0..args.len()).map(|i| bv(i).1).collect();
                Value::Bv(width, bits::apply(op, bv(0).0, &operands).expect("a bit-vector operator"))
            }
        }
    }
}

impl Terms {
    /// The value of a term under a model.
    pub fn eval(&self, term: TermId, model: &Model) -> Value {
        Evaluator::new(self, model).eval(term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_on_writes_are_one_array_and_the_last_counts() {
        let t = Terms::new();
        let sort = t.array_sort(Sort::Int, Sort::Int);
        let (a, x) = (t.symbol("a", sort), t.symbol("x", Sort::Int));
        let write = |array, index: TermId, element: i64| t.store(array, index, t.int(element));
        let first = write(a, x, 1);
        let second = write(write(first, t.int(3), 2), t.int(4), 7);
        let third = write(write(second, t.int(4), 0), x, 5);
        let mut model = Model::new();
        model.set(t.as_symbol(x).expect("a symbol"), Value::Num(Rat::from(3)));
        let mut values = Evaluator::new(&t, &model);
        let mut at = |array, index: i64| values.eval(t.select(array, t.int(index)));
        assert_eq!(at(third, 3), Value::Num(Rat::from(5)));
        assert_eq!(at(third, 4), Value::Num(Rat::ZERO));
        // Between the others, and below what is known by now.
        assert_eq!(at(second, 4), Value::Num(Rat::from(7)));
        assert_eq!(at(second, 3), Value::Num(Rat::from(2)));
        assert_eq!(at(first, 3), Value::Num(Rat::from(1)));
        let Value::Array(array) = values.eval(third) else { panic!("an array") };
        assert_eq!(array.entries.len(), 1, "what is as everywhere has no entry");
    }
}
