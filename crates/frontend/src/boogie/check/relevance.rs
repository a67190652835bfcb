//! Which axioms say something about the program.
//!
//! An axiom matters if it names a constant or function that procedures use, or that an axiom which matters names. Only axioms that are not
//! modelled are ever left out for not mattering: the others are simply assumed.

use super::super::hir::Axiom;
use super::Symbols;

pub fn mark(axioms: &mut [(Axiom, Symbols)], mut used: Symbols) {
    loop {
        let before = used.len();
        for (axiom, named) in axioms.iter_mut() {
            if !axiom.relevant && named.iter().any(|s| used.contains(s)) {
                axiom.relevant = true;
                used.extend(named.iter().copied());
            }
        }
        if used.len() == before {
            return;
        }
    }
}
