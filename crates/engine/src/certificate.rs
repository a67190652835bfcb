//! From what an engine found about its own version of a program to a certificate about the source program.

use craig_cfa::LocId;
use craig_cfa::pass::prepare::Prepared;
use craig_encode::Encoder;
use craig_encode::memory::{CellKind, ObjectKey};
use craig_logic::TermId;
use craig_smt::Smt;
use craig_smt::simplify::simplify;
use craig_verdict::certificate::{Cell, Certificate, Invariant, Invariants, Object, Proof};
use std::collections::BTreeMap;
use std::time::Duration;

/// A certificate of formulas over `encoder.symbols(None)`, one per location at most. It takes one for each loop head that a run may
/// reach, `true` among them; the checker needs no others.
pub fn invariants(encoder: &Encoder<'_>, prepared: &Prepared, formulas: &[(LocId, TermId)]) -> Certificate {
    let (program, terms) = (&prepared.program, &encoder.terms);
    let memory = &encoder.memory;
    let state = encoder.symbols(None);
    let cell_of: BTreeMap<TermId, _> =
        state.cells.iter_enumerated().map(|(cell, &symbol)| (symbol, cell)).collect();
    let mut cells = Vec::new();
    let roots: Vec<TermId> = formulas.iter().map(|(_, formula)| *formula).collect();
    for symbol in terms.symbols_of_all(&roots) {
        let name = terms.symbol_name(symbol).to_string();
        let sort = terms.sort_text(terms.symbol_sort(symbol));
        let Some(&cell) = cell_of.get(&terms.symbol_term(symbol)) else {
            cells.push(Cell { symbol: name, sort, leaves: Vec::new(), array: false, word: None });
            continue;
        };
        let info = &memory.cells()[cell];
        let leaves = info
            .leaves
            .iter()
            .filter_map(|(object, offset)| memory.key(*object).map(|key| (Object(key.clone()), *offset)));
        let word = Cell::word_of(&program.types, info.ty);
        let array = info.kind == CellKind::Array;
        let mut leaves: Vec<(Object, u64)> = leaves.collect();
        if !array {
            leaves.truncate(1);
        }
        cells.push(Cell { symbol: name, sort, leaves, array, word });
    }
    let invariants = formulas
        .iter()
        .map(|&(loc, formula)| {
            let loc = &program.locs[loc];
            let calls = program.calls.path(loc.calls);
            Invariant::new(loc.origin, &calls, program.source.line(loc.span), terms.smt(formula))
        })
        .collect();
    let constants =
        prepared.constants.iter().map(|&(var, bits)| (Object(ObjectKey::Var(var, Vec::new())), bits));
    let proof = Invariants {
        cells,
        addresses: memory.addresses().into_iter().map(|(key, address)| (Object(key), address)).collect(),
        constants: constants.collect(),
        invariants,
    };
    Certificate { arith: encoder.options.arith, proof: Proof::Invariants(proof) }
}

/// An invariant as a person would write it, if that is quickly done: an equivalent formula without needless predicates.
pub fn readable(smt: &Smt, invariant: TermId) -> TermId {
    const LITERALS: usize = 200;
    // For the worst case only: what is small enough takes a fraction of it.
    const TIME: Duration = Duration::from_secs(3);
    let simpler = smt.limited(TIME, || simplify(smt, invariant, LITERALS));
    simpler.ok().flatten().unwrap_or(invariant)
}
