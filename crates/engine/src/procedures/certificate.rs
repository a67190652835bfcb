//! Formulas of an engine about procedures, as a proof by procedures (`craig_verdict::modular`).

use super::Divided;
use crate::certificate::readable_where;
use craig_cfa::{LocId, ProcId};
use craig_encode::memory::CellId;
use craig_logic::TermId;
use craig_smt::Smt;
use craig_verdict::certificate::{Certificate, Invariant, Procedures, Proof, Summary, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// What an engine has found out, over the values at the entry of an activation and those of now.
pub trait Formulas {
    /// What a called procedure needs where it is entered; both states are one there.
    fn needs(&self, proc: ProcId) -> TermId;

    /// What it did when it returns.
    fn does(&self, proc: ProcId) -> TermId;

    /// What holds at a loop.
    fn holds(&self, at: LocId) -> TermId;
}

impl Divided<'_> {
    /// The proof by procedures that formulas are, if it has words for what matters. What is known without it is not said, if it is accepted like that: that values lie
    /// in their types, and in a summary what the procedure needs.
    pub fn certificate(
        &self,
        smt: &Smt,
        found: &impl Formulas,
        accepts: &dyn Fn(&Certificate) -> bool,
    ) -> Option<Certificate> {
        let (short, _) = self.written(smt, found, true);
        if accepts(&short) {
            return Some(short);
        }
        let (full, left_out) = self.written(smt, found, false);
        (!left_out || accepts(&full)).then_some(full)
    }

    /// The formulas as a certificate, and whether something was left out of it.
    fn written(&self, smt: &Smt, found: &impl Formulas, shortly: bool) -> (Certificate, bool) {
        let terms = &self.encoder.terms;
        let mut words =
            Words { divided: self, symbols: Vec::new(), named: FxHashMap::default(), left_out: false };
        let mut proof = Procedures::default();
        let line = |loc: LocId| self.source.source.line(self.source.locs[loc].span);
        let said = |formula: TermId, needs: Option<TermId>| {
            let mut known = if shortly { self.ranges_of(formula) } else { Vec::new() };
            known.extend(needs.filter(|needs| shortly && !terms.is_false(*needs)));
            readable_where(smt, &known, formula)
        };
        for (id, proc) in self.source.procs.iter_enumerated().filter(|(id, _)| self.called[*id]) {
            // There now is when it was entered.
            let map = self.now.iter().copied().zip(self.entry.iter().copied()).collect();
            let needs = said(terms.substitute(found.needs(id), &map), None);
            let does = said(found.does(id), Some(needs));
            let needs = terms.smt(words.of(needs));
            proof.invariants.push(Invariant::new(proc.entry, &[], line(proc.entry), needs));
            proof.summaries.push(Summary::new(self.source, id, terms.smt(words.of(does))));
        }
        for &loc in self.loops.iter().filter(|loc| self.owner[**loc].is_some()) {
            let invariant = terms.smt(words.of(said(found.holds(loc), None)));
            proof.invariants.push(Invariant::new(loc, &[], line(loc), invariant));
        }
        proof.symbols = words.symbols;
        (Certificate::new(self.encoder.options.arith, Proof::Procedures(proof)), words.left_out)
    }

    /// That the values which a formula speaks of lie in their types.
    fn ranges_of(&self, formula: TermId) -> Vec<TermId> {
        let terms = &self.encoder.terms;
        let spoken: FxHashSet<TermId> =
            terms.symbols_of(formula).into_iter().map(|symbol| terms.symbol_term(symbol)).collect();
        let of = |symbols: &[TermId], ranges: &[Option<TermId>]| {
            let ranges = symbols.iter().zip(ranges).filter(|(symbol, _)| spoken.contains(symbol));
            ranges.filter_map(|(_, range)| *range).collect::<Vec<_>>()
        };
        [of(&self.now, &self.ranges), of(&self.entry, &self.entry_ranges)].concat()
    }
}

/// Symbols of a certificate, as formulas need them.
struct Words<'d, 'a> {
    divided: &'d Divided<'a>,
    symbols: Vec<Symbol>,
    named: FxHashMap<TermId, bool>,
    /// Was there something without words?
    left_out: bool,
}

impl Words<'_, '_> {
    /// The formula without conjuncts that speak of what a certificate has no words for.
    fn of(&mut self, formula: TermId) -> TermId {
        let terms = &self.divided.encoder.terms;
        let parts: Vec<TermId> = terms.conjuncts(formula).iter().copied().collect();
        let mut said = Vec::new();
        for part in parts {
            let symbols = terms.symbols_of(part);
            let mut known = true;
            for symbol in symbols {
                known &= self.knows(terms.symbol_term(symbol));
            }
            match known {
                true => said.push(part),
                false => self.left_out = true,
            }
        }
        terms.and(said)
    }

    fn knows(&mut self, symbol: TermId) -> bool {
        if let Some(known) = self.named.get(&symbol) {
            return *known;
        }
        let found = self.find(symbol);
        let known = found.is_some();
        self.symbols.extend(found);
        self.named.insert(symbol, known);
        known
    }

    fn find(&self, symbol: TermId) -> Option<Symbol> {
        let Divided { source, encoder, now, entry, results, .. } = self.divided;
        let name = encoder.terms.as_symbol(symbol).map(|id| encoder.terms.symbol_name(id))?;
        let arith = encoder.options.arith;
        let slot = |symbols: &[TermId]| symbols.iter().position(|s| *s == symbol);
        let (slot, at_entry) = match slot(now) {
            Some(slot) => (slot, false),
            None => (slot(entry)?, true),
        };
        if slot >= encoder.layout.cells().len() {
            return None;
        }
        let (var, offset) = self.divided.variable(CellId::from_usize(slot))?;
        if let Some((proc, _)) = results.iter_enumerated().find(|(_, r)| **r == Some(var)) {
            return Symbol::result(source, arith, &name, source.procs[proc].ret, offset)
                .filter(|_| !at_entry);
        }
        if var >= source.vars.len() {
            return None;
        }
        let make = if at_entry || self.divided.kept.contains(&var) { Symbol::entry } else { Symbol::now };
        let made = make(source, arith, &name, var, offset)?;
        (made.sort == encoder.terms.sort_text(encoder.terms.sort(symbol))).then_some(made)
    }
}
