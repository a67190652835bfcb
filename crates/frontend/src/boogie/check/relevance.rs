//! Which axioms say something about the program.
//!
//! An axiom matters if it names a constant or function that procedures use, or that an axiom which matters names. Only axioms that are not
//! modelled are ever left out for not mattering: the others are simply assumed.

use super::super::hir::{Axiom, Symbol};
use super::Symbols;
use rustc_hash::FxHashMap;

pub fn mark(axioms: &mut [(Axiom, Symbols)], mut used: Symbols) {
    let mut naming: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
    for (i, (_, named)) in axioms.iter().enumerate() {
        for symbol in named {
            naming.entry(*symbol).or_default().push(i);
        }
    }
    // Symbols are looked at in the order in which they were found to be used; more come at the end.
    let mut next = 0;
    while let Some(symbol) = used.get_index(next).copied() {
        next += 1;
        for i in naming.remove(&symbol).unwrap_or_default() {
            let (axiom, named) = &mut axioms[i];
            if !std::mem::replace(&mut axiom.relevant, true) {
                used.extend(named.iter().copied());
            }
        }
    }
}
