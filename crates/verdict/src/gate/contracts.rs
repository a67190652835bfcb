//! What a proof by procedures claims of every run, in a form that one run can be held against.
//!
//! A run remembers for each open activation the values that formulas may speak of when it was entered. At a location, and where a
//! procedure returns, the formulas there are evaluated with these and with the values of now.

use super::Contradicted;
use super::formula::{Seen, Visits, conjuncts, is_defined, mathematical, number};
use crate::certificate::{Binding, Moment, Procedures, Symbol};
use crate::scalar;
use craig_base::Span;
use craig_cfa::interp::{self, Here, Watcher};
use craig_cfa::{LocId, ProcId, Program, TypeId, arith};
use craig_encode::Arith;
use craig_encode::state::sort;
use craig_logic::{Evaluator, Model, Sort, SymbolId, TermId, Terms, Value};
use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::ControlFlow;

pub(super) struct Contracts<'a> {
    source: &'a Program,
    given: &'a Procedures,
    arith: Arith,
    terms: Terms,
    symbols: FxHashMap<SymbolId, usize>,
    /// The formulas of each location; at exits those of summaries.
    at: FxHashMap<LocId, Vec<Formula>>,
    /// Where no run comes.
    unreached: FxHashSet<LocId>,
    /// What an activation remembers of its entry.
    remembered: IndexVec<ProcId, Vec<SymbolId>>,
    /// Where any of these are, and all entries.
    pub locs: IndexVec<LocId, bool>,
}

/// A conjunct.
struct Formula {
    term: TermId,
    symbols: Vec<SymbolId>,
    /// Terms in it.
    cost: u64,
    /// Can it be evaluated at all?
    usable: bool,
}

impl<'a> Contracts<'a> {
    pub fn new(
        source: &'a Program,
        unreached: Vec<LocId>,
        given: &'a Procedures,
        arith: Arith,
    ) -> Contracts<'a> {
        let mut contracts = Contracts {
            source,
            given,
            arith,
            terms: Terms::new(),
            symbols: FxHashMap::default(),
            at: FxHashMap::default(),
            unreached: unreached.into_iter().collect(),
            remembered: index_vec![Vec::new(); source.procs.len()],
            locs: index_vec![false; source.locs.len()],
        };
        contracts.read(given);
        let marked = contracts.at.keys().chain(&contracts.unreached).copied();
        for loc in marked.chain(source.procs.iter().map(|proc| proc.entry)).collect::<Vec<_>>() {
            contracts.locs[loc] = true;
        }
        contracts
    }

    fn read(&mut self, given: &'a Procedures) {
        let mut names: Vec<(&str, TermId)> = Vec::new();
        for (i, symbol) in given.symbols.iter().enumerate() {
            let Some(sort) = self.sort(symbol) else { continue };
            let term = self.terms.symbol(&symbol.symbol, sort);
            self.symbols.extend(self.terms.as_symbol(term).map(|id| (id, i)));
            names.push((&symbol.symbol, term));
        }
        let source = self.source;
        let invariants = given.invariants.iter().map(|i| (LocId::from_raw(i.location), &i.formula));
        let summaries = given.summaries.iter().filter_map(|s| {
            let proc = source.procs.get(ProcId::from_raw(s.procedure))?;
            Some((proc.exit, &s.formula))
        });
        for (loc, text) in invariants.chain(summaries) {
            let Some(proc) = source.locs.get(loc).map(|loc| loc.proc) else { continue };
            // What the checker could not read either it refused.
            let Ok(term) = self.terms.read_term_with(text, names.iter().copied()) else { continue };
            for part in conjuncts(&self.terms, term) {
                let formula = self.formula(part);
                self.remember(proc, &formula);
                self.at.entry(loc).or_default().push(formula);
            }
        }
    }

    fn remember(&mut self, proc: ProcId, formula: &Formula) {
        for symbol in formula.symbols.iter().filter(|_| formula.usable) {
            let at_entry = self.given.symbols[self.symbols[symbol]].moment == Moment::Entry;
            if at_entry && !self.remembered[proc].contains(symbol) {
                self.remembered[proc].push(*symbol);
            }
        }
    }

    fn sort(&self, symbol: &Symbol) -> Option<Sort> {
        let ty = match symbol.variable {
            Some(var) => self.scalar(self.source.vars.get(var)?.ty, symbol)?.ty,
            None => self.source.procs.iter().find_map(|proc| self.scalar(proc.ret, symbol))?.ty,
        };
        Some(sort(self.source, &self.terms, self.arith, ty))
    }

    fn scalar(&self, ty: TypeId, symbol: &Symbol) -> Option<scalar::Scalar> {
        let types = &self.source.types;
        let text = |ty: TypeId| self.terms.sort_text(sort(self.source, &self.terms, self.arith, ty));
        let fits = |ty: TypeId| Binding::word_of(types, ty) == symbol.word && text(ty) == symbol.sort;
        scalar::find(types, ty, symbol.offset, fits)
    }

    fn formula(&self, term: TermId) -> Formula {
        let terms = &self.terms;
        let parts = terms.postorder(&[term]);
        let is_array = |t: TermId| matches!(terms.sort(t), Sort::Array(_));
        let symbols = terms.symbols_of(term);
        let known = symbols.iter().all(|symbol| self.symbols.contains_key(symbol));
        let usable = known && parts.iter().all(|t| is_defined(terms, *t) && !is_array(*t));
        Formula { term, symbols, cost: parts.len() as u64, usable }
    }

    /// What a symbol stands for in the running activation, but for its moment.
    fn value(&self, here: &Here<'_, '_, '_>, id: SymbolId) -> Option<Value> {
        let symbol = &self.given.symbols[*self.symbols.get(&id)?];
        let proc = self.source.locs[here.loc()].proc;
        let ty = match symbol.variable {
            Some(var) => self.source.vars[var].ty,
            None => self.source.procs[proc].ret,
        };
        let scalar = self.scalar(ty, symbol)?;
        let word = self.source.types.as_word(scalar.ty);
        let first = scalar.bit.unwrap_or(0);
        let len = match (scalar.bit, word) {
            (Some(bit), Some(word)) => (u64::from(bit) + u64::from(word.width)).div_ceil(8),
            _ => self.source.types.size_of(scalar.ty).unwrap_or(0),
        };
        let value = match symbol.variable {
            Some(var) => here.held(var, symbol.offset, len as usize)?,
            None => part(here.result()?, symbol.offset, len as usize)?,
        };
        match (word, value) {
            // Where objects lie in a run is not where they lie in a proof; null is the same.
            (_, interp::Value::Bits(bits)) if bits != 0 && self.source.types.is_ptr(scalar.ty) => None,
            (Some(word), interp::Value::Bits(bits)) => {
                Some(number(self.arith, arith::truncate(bits >> first, word), word))
            }
            (None, value) => mathematical(value, self.terms.symbol_sort(id)),
            _ => None,
        }
    }
}

/// Bytes of a value, as a word.
fn part(value: &interp::Value, offset: u64, len: usize) -> Option<interp::Value> {
    let interp::Value::Bytes(bytes) = value else { return (offset == 0).then(|| value.clone()) };
    let start = usize::try_from(offset).ok()?;
    let bytes = bytes.get(start..start.checked_add(len)?).filter(|bytes| bytes.len() <= 16)?;
    Some(interp::Value::Bits(bytes.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte))))
}

/// One run past the claims.
pub(super) struct Tour<'c> {
    contracts: &'c Contracts<'c>,
    /// Of each open activation what it remembers of its entry.
    entered: Vec<FxHashMap<SymbolId, Value>>,
    visits: Visits<LocId>,
    pub seen: Seen,
}

impl<'c> Tour<'c> {
    pub fn new(contracts: &'c Contracts<'c>, allowed: u64) -> Tour<'c> {
        Tour { contracts, entered: Vec::new(), visits: Visits::default(), seen: Seen::new(allowed) }
    }

    fn look(&mut self, here: &Here<'_, '_, '_>) -> Option<(Contradicted, Span)> {
        let contracts = self.contracts;
        let loc = here.loc();
        let place = &contracts.source.locs[loc];
        if contracts.source.procs[place.proc].entry == loc {
            let remembered = &contracts.remembered[place.proc];
            let values = remembered.iter().filter_map(|s| Some((*s, contracts.value(here, *s)?))).collect();
            self.entered.truncate(here.depth() - 1);
            self.entered.push(values);
        }
        if contracts.unreached.contains(&loc) {
            return Some((Contradicted::Unreached, place.span));
        }
        let formulas = contracts.at.get(&loc)?;
        if !self.visits.worth(loc) {
            return None;
        }
        let entered = self.entered.get(here.depth() - 1)?;
        let value = |symbol: SymbolId| {
            let moment = contracts.given.symbols[*contracts.symbols.get(&symbol)?].moment;
            match moment {
                Moment::Entry => entered.get(&symbol).cloned(),
                Moment::Now | Moment::Result => contracts.value(here, symbol),
            }
        };
        for formula in formulas {
            let holds = || {
                let mut model = Model::new();
                for &symbol in formula.symbols.iter().filter(|_| formula.usable) {
                    model.set(symbol, value(symbol)?);
                }
                let holds = || Evaluator::new(&contracts.terms, &model).holds(formula.term);
                formula.usable.then(holds).map(|holds| (holds, model))
            };
            if let Some(found) = self.seen.hold(&contracts.terms, (formula.term, formula.cost), holds) {
                return Some((found, place.span));
            }
        }
        None
    }
}

impl Watcher for Tour<'_> {
    fn arrive(&mut self, here: &Here<'_, '_, '_>) -> ControlFlow<()> {
        self.seen.found = self.look(here);
        if self.seen.found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
