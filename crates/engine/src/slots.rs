//! The state as numbered slots: one for each cell, and one for the address of the next object of the heap. The symbol of a slot is what
//! predicates, labels and invariants speak of.

use craig_encode::{Encoder, State};
use craig_logic::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug)]
pub struct Slots {
    pub symbols: Vec<TermId>,
    slot: FxHashMap<TermId, u32>,
    /// Symbols that mean the same everywhere: addresses that nobody knows.
    fixed: FxHashSet<TermId>,
}

impl Slots {
    pub fn new(encoder: &Encoder<'_>) -> Self {
        let symbols = flat(&encoder.symbols(None));
        let slot = symbols.iter().enumerate().map(|(i, s)| (*s, i as u32)).collect();
        Slots { symbols, slot, fixed: encoder.sites().iter().copied().collect() }
    }

    /// Which slot of the state the term is the symbol of.
    pub fn slot(&self, symbol: TermId) -> Option<u32> {
        self.slot.get(&symbol).copied()
    }

    /// Does it belong to one place in the program, neither to the state nor to all of it?
    pub fn is_local(&self, symbol: TermId) -> bool {
        self.slot(symbol).is_none() && !self.fixed.contains(&symbol)
    }

    /// The slots whose symbols occur in the terms, ascending.
    pub fn of(&self, terms: &Terms, roots: &[TermId]) -> Vec<u32> {
        let symbols = terms.symbols_of_all(roots);
        let mut slots: Vec<u32> = symbols.iter().filter_map(|s| self.slot(terms.symbol_term(*s))).collect();
        slots.sort_unstable();
        slots
    }
}

/// The terms of a state, slot by slot.
pub fn flat(state: &State) -> Vec<TermId> {
    let mut slots = state.cells.raw.clone();
    slots.push(state.heap);
    slots
}
