//! From what an engine found about the prepared program to a certificate about the source program.

use crate::workbench::Workbench;
use craig_cfa::{EdgeId, LocId};
use craig_encode::memory::{CellKind, ObjectKey};
use craig_logic::TermId;
use craig_smt::simplify::simplify;
use craig_smt::{Purpose, Smt};
use craig_verdict::Reason;
use craig_verdict::certificate::{Binding, Certificate, Invariant, Invariants, NeverTaken, Object, Proof};
use std::collections::BTreeMap;

/// The certificate of a formula for each loop head, over the symbols of the state; `false` where no run comes. The checker needs no others.
pub fn at_heads(
    bench: &Workbench<'_>,
    mut formula: impl FnMut(LocId) -> Result<TermId, Reason>,
) -> Result<Certificate, Reason> {
    let heads: Vec<LocId> = bench.graph.loop_heads().collect();
    let found = heads.into_iter().map(|loc| Ok((loc, readable(&bench.smt, formula(loc)?))));
    Ok(invariants(bench, &found.collect::<Result<Vec<_>, Reason>>()?))
}

fn invariants(bench: &Workbench<'_>, formulas: &[(LocId, TermId)]) -> Certificate {
    let (program, terms) = (bench.program(), &bench.terms);
    let numbers = |calls: &[EdgeId]| calls.iter().map(|e| e.index() as u32).collect();
    let at = |loc: LocId, formula: String| {
        let loc = &program.locs[loc];
        let line = program.source.line(loc.span);
        Invariant::new(loc.origin, &program.calls.path(loc.calls), line, formula)
    };
    let back = &bench.task.prepared.back;
    let mut invariants: Vec<Invariant> = formulas.iter().map(|(loc, f)| at(*loc, terms.smt(*f))).collect();
    invariants.extend(back.harmless.iter().map(|site| {
        let line = bench.task.source.source.line(bench.task.source.locs[site.origin].span);
        Invariant::new(site.origin, &site.calls, line, "true".into())
    }));
    let roots: Vec<TermId> = formulas.iter().map(|(_, formula)| *formula).collect();
    let mut symbols = bindings(bench, &roots);
    let common = constants(bench, &mut symbols);
    let never = back
        .never
        .iter()
        .map(|site| NeverTaken { edge: site.origin.index() as u32, calls: numbers(&site.calls) });
    let addresses = bench.task.layout.addresses().into_iter();
    let proof = Invariants {
        symbols,
        addresses: addresses.map(|(key, address)| (Object(key), address)).collect(),
        never: never.collect(),
        common,
        invariants,
    };
    Certificate { arith: bench.encoder.options.arith, proof: Proof::Invariants(proof) }
}

/// What the symbols of formulas stand for.
fn bindings(bench: &Workbench<'_>, formulas: &[TermId]) -> Vec<Binding> {
    let (program, terms, layout) = (bench.program(), &bench.terms, &bench.task.layout);
    let state = bench.encoder.symbols(None);
    let cell_of: BTreeMap<TermId, _> =
        state.cells.iter_enumerated().map(|(cell, &symbol)| (symbol, cell)).collect();
    let binding = |symbol| {
        let name = terms.symbol_name(symbol).to_string();
        let sort = terms.sort_text(terms.symbol_sort(symbol));
        let term = terms.symbol_term(symbol);
        let Some(&cell) = cell_of.get(&term) else {
            let site = bench.encoder.sites().position(|site| *site == term);
            let key = site.and_then(|site| layout.sites()[site].key.clone());
            let leaves = key.into_iter().map(|key| (Object(key), 0)).collect();
            return Binding { symbol: name, sort, leaves, array: false, address: site.is_some(), word: None };
        };
        let info = &layout.cells()[cell];
        let leaf = |(object, offset): &(_, u64)| Some((Object(layout.key(*object)?.clone()), *offset));
        let mut leaves: Vec<(Object, u64)> = info.leaves.iter().filter_map(leaf).collect();
        let array = !matches!(info.kind, CellKind::Scalar { .. });
        if !array {
            leaves.truncate(1);
        }
        let word = match info.kind {
            CellKind::Bytes => Some(8),
            _ => Binding::word_of(&program.types, info.ty),
        };
        Binding { symbol: name, sort, leaves, array, address: false, word }
    };
    terms.symbols_of_all(formulas).into_iter().map(binding).collect()
}

/// That globals hold the values which folding took them for: conjuncts of every invariant, with symbols of their own.
fn constants(bench: &Workbench<'_>, symbols: &mut Vec<Binding>) -> Vec<String> {
    let (source, terms) = (&bench.task.source, &bench.terms);
    let mut common = Vec::new();
    for &(var, bits) in &bench.task.prepared.back.constants {
        let ty = source.vars[var].ty;
        let value = bench.encoder.bits(bits, ty);
        // Reports show these formulas: the plain name is best, unless something else has it.
        let name = &source.vars[var].name;
        let symbol = match terms.find_symbol(name) {
            None => terms.symbol(name, terms.sort(value)),
            Some(_) => terms.fresh(name, terms.sort(value)),
        };
        symbols.push(Binding {
            symbol: terms.as_symbol(symbol).map(|s| terms.symbol_name(s).to_string()).unwrap_or_default(),
            sort: terms.sort_text(terms.sort(value)),
            leaves: vec![(Object(ObjectKey::Var(var, Vec::new())), 0)],
            array: false,
            address: false,
            word: Binding::word_of(&source.types, ty),
        });
        common.push(terms.smt(terms.eq(symbol, value)));
    }
    common
}

/// Literals of an invariant that is made readable: what is larger takes longer than it is worth, and nobody reads it.
const LITERALS: usize = 200;
/// Work for that: for the worst case only, about three seconds; what is small enough takes a fraction of it.
const WORK: u64 = 20_000_000;

/// An invariant as a person would write it, if that is quickly done: an equivalent formula without needless predicates.
fn readable(smt: &Smt, invariant: TermId) -> TermId {
    let simpler =
        smt.as_part_of(Purpose::Checking, || smt.limited(WORK, || simplify(smt, invariant, LITERALS)));
    simpler.ok().flatten().unwrap_or(invariant)
}
