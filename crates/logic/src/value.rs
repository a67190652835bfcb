//! Values and models.

use crate::num::Rat;
use crate::sort::Sort;
use crate::term::{FunId, SymbolId, TermId, Terms};
use dashu::integer::UBig;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The value of a term.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Bool(bool),
    /// Integers and reals.
    Num(Rat),
    /// Width and unsigned value.
    Bv(u32, UBig),
    Array(Arc<ArrayValue>),
}

/// An array that differs from `default` at finitely many indices. No entry equals the default, so that (over index
/// sorts with unboundedly many values) equal arrays are equal values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArrayValue {
    pub default: Value,
    pub entries: BTreeMap<Value, Value>,
}

impl ArrayValue {
    pub fn get(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    pub fn set(&mut self, index: Value, element: Value) {
        if element == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
    }
}

impl Value {
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    pub fn as_num(&self) -> Option<&Rat> {
        match self {
            Value::Num(n) => Some(n),
            _ => None,
        }
    }

    /// The value that a symbol without one gets: false, zero, or the array of such.
    pub fn default_of(terms: &Terms, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Int | Sort::Real => Value::Num(Rat::ZERO),
            Sort::BitVec(width) => Value::Bv(width, UBig::ZERO),
            Sort::Array(_) => {
                let (_, element) = terms.array_parts(sort).expect("an array sort");
                let default = Value::default_of(terms, element);
                Value::Array(Arc::new(ArrayValue { default, entries: BTreeMap::new() }))
            }
        }
    }

    /// The term that denotes the value.
    pub fn to_term(&self, terms: &Terms, sort: Sort) -> TermId {
        match self {
            Value::Bool(b) => terms.bool(*b),
            Value::Num(n) => terms.numeral(n, sort),
            Value::Bv(width, value) => terms.bv_big(value.clone().into(), *width),
            Value::Array(array) => {
                let (index, element) = terms.array_parts(sort).expect("an array sort");
                let base = terms.const_array(sort, array.default.to_term(terms, element));
                array.entries.iter().fold(base, |a, (i, e)| {
                    terms.store(a, i.to_term(terms, index), e.to_term(terms, element))
                })
            }
        }
    }
}

/// The meaning of an uninterpreted function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunValue {
    pub entries: BTreeMap<Vec<Value>, Value>,
    pub default: Value,
}

/// Values for symbols and functions. What has none gets the default of its sort.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    symbols: FxHashMap<SymbolId, Value>,
    functions: FxHashMap<FunId, FunValue>,
}

impl Model {
    pub fn new() -> Model {
        Model::default()
    }

    pub fn set(&mut self, symbol: SymbolId, value: Value) {
        self.symbols.insert(symbol, value);
    }

    pub fn set_function(&mut self, function: FunId, value: FunValue) {
        self.functions.insert(function, value);
    }

    /// The value of a symbol, if the model has one.
    pub fn get(&self, symbol: SymbolId) -> Option<&Value> {
        self.symbols.get(&symbol)
    }

    pub fn function(&self, function: FunId) -> Option<&FunValue> {
        self.functions.get(&function)
    }

    /// The symbols with a value, ascending.
    pub fn symbols(&self) -> Vec<(SymbolId, &Value)> {
        let mut all: Vec<_> = self.symbols.iter().map(|(s, v)| (*s, v)).collect();
        all.sort_by_key(|(s, _)| *s);
        all
    }
}
