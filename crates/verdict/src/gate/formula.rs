//! Formulas held against one run: what can be evaluated, with which values, and how often.

use super::Contradicted;
use craig_base::Span;
use craig_cfa::{IntTy, arith, interp};
use craig_encode::Arith;
use craig_logic::{Model, Op as Head, Rat, Sort, TermId, Terms, Value};
use dashu::integer::{IBig, UBig};
use rustc_hash::FxHashMap;
use std::hash::Hash;

pub(super) fn conjuncts(terms: &Terms, term: TermId) -> Vec<TermId> {
    match terms.op(term) {
        Head::And => terms.args(term).to_vec(),
        Head::True => Vec::new(),
        _ => vec![term],
    }
}

/// Has the head of a term one meaning, whatever its arguments are?
pub(super) fn is_defined(terms: &Terms, term: TermId) -> bool {
    match terms.op(term) {
        // Functions stand for what integers do not express.
        Head::Apply(_) => false,
        // Division by zero is anything.
        Head::Div | Head::Mod | Head::BvUdiv | Head::BvUrem | Head::BvSdiv | Head::BvSrem => {
            terms.number(terms.arg(term, 1)).is_some_and(|n| !n.is_zero())
        }
        _ => true,
    }
}

/// A machine word as formulas have it.
pub(super) fn number(arith: Arith, bits: u128, word: IntTy) -> Value {
    match arith {
        Arith::Int if word.signed => Value::Num(Rat::from_ibig(IBig::from(arith::to_i128(bits, word)))),
        Arith::Int => Value::Num(Rat::from_ibig(IBig::from(bits))),
        Arith::Bv => Value::Bv(u32::from(word.width), UBig::from(bits)),
    }
}

/// A truth value or a mathematical number.
pub(super) fn mathematical(value: interp::Value, sort: Sort) -> Option<Value> {
    match (value, sort) {
        (interp::Value::Bits(bits), Sort::Bool) => Some(Value::Bool(bits != 0)),
        (interp::Value::Int(number), Sort::Int) => Some(Value::Num(Rat::from_ibig(number))),
        (interp::Value::Real(number), Sort::Real) => Rat::parse(&number.to_string()).map(Value::Num),
        _ => None,
    }
}

/// How often a run came to places. All of the first visits are looked at, then fewer and fewer.
pub(super) struct Visits<Place>(FxHashMap<Place, u64>);

impl<Place> Default for Visits<Place> {
    fn default() -> Self {
        Visits(FxHashMap::default())
    }
}

const ALL_UP_TO: u64 = 16;

impl<Place: Eq + Hash> Visits<Place> {
    /// One more visit: is it looked at?
    pub fn worth(&mut self, place: Place) -> bool {
        let visit = self.0.entry(place).or_insert(0);
        *visit += 1;
        *visit <= ALL_UP_TO || visit.is_power_of_two()
    }
}

/// What one run came by.
#[derive(Default)]
pub(super) struct Seen {
    /// Terms that may be evaluated, and that were.
    allowed: u64,
    pub cost: u64,
    pub evaluated: u64,
    pub skipped: u64,
    /// Accesses that the layout knows of.
    pub accesses: u64,
    pub found: Option<(Contradicted, Span)>,
}

impl Seen {
    pub fn new(allowed: u64) -> Seen {
        Seen { allowed, ..Seen::default() }
    }

    pub fn may_spend(&self) -> bool {
        self.cost < self.allowed
    }

    /// Holds a formula of so many terms against the run, if that is allowed. `holds` says whether it is true, unless that cannot be said, with the values that
    /// it speaks of.
    pub fn hold(
        &mut self,
        terms: &Terms,
        (term, cost): (TermId, u64),
        holds: impl FnOnce() -> Option<(bool, Model)>,
    ) -> Option<Contradicted> {
        if self.cost + cost > self.allowed {
            self.skipped += 1;
            return None;
        }
        self.cost += cost;
        match holds() {
            None => self.skipped += 1,
            Some((true, _)) => self.evaluated += 1,
            Some((false, model)) => {
                let (formula, values) = (terms.smt(term), told(terms, &model));
                return Some(Contradicted::Invariant { formula, values });
            }
        }
        None
    }
}

/// The values behind a formula, as text.
fn told(terms: &Terms, model: &Model) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::Bool(truth) => truth.to_string(),
        Value::Num(number) => number.to_string(),
        Value::Bv(_, bits) => bits.to_string(),
        Value::Array(_) => "...".into(),
    };
    let mut told = Vec::new();
    for (symbol, value) in model.symbols() {
        let name = terms.symbol_name(symbol);
        match value {
            Value::Array(array) => {
                told.extend(array.entries.iter().map(|(at, v)| (format!("{name}[{}]", text(at)), text(v))));
            }
            value => told.push((name.to_string(), text(value))),
        }
    }
    told
}
