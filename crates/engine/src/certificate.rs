//! From what an engine found about the prepared program to a certificate about the source program.

use crate::workbench::Workbench;
use craig_base::Timer;
use craig_cfa::analysis::{Fact, Facts};
use craig_cfa::pass::Site;
use craig_cfa::{EdgeId, LocId, VarId};
use craig_encode::memory::{CellKind, ObjectKey};
use craig_logic::TermId;
use craig_smt::simplify::simplify_where;
use craig_smt::{Purpose, Smt};
use craig_verdict::Reason;
use craig_verdict::certificate::{Binding, Certificate, Invariant, Invariants, NeverTaken, Object, Proof};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The certificate of a formula for each loop head, over the symbols of the state; `false` where no run comes. The checker needs no others.
pub fn at_heads(
    bench: &Workbench<'_>,
    mut formula: impl FnMut(LocId) -> Result<TermId, Reason>,
) -> Result<Certificate, Reason> {
    let timer = Timer::start();
    let heads: Vec<LocId> = bench.graph.loop_heads().collect();
    let found = heads.into_iter().map(|loc| Ok((loc, readable(&bench.smt, formula(loc)?))));
    let found = found.collect::<Result<Vec<_>, Reason>>()?;
    let mut known = bench.task.prepared.back.values.clone();
    known.extend(bench.domains.claims(bench)?);
    let made = invariants(bench, &found, &known);
    bench.certificate.set(Some(timer.elapsed()));
    Ok(made)
}

/// The certificate of a proof about the program with its calls expanded, as far as the task followed them.
pub fn of_expansion(bench: &Workbench<'_>, proof: Proof) -> Certificate {
    let numbers = |calls: &[EdgeId]| calls.iter().map(|e| e.index() as u32).collect();
    let sites = bench.task.prepared.unfolded.unfollowed.iter();
    let unfollowed =
        sites.map(|site| NeverTaken { edge: site.origin.index() as u32, calls: numbers(&site.calls) });
    Certificate { unfollowed: unfollowed.collect(), ..Certificate::new(bench.encoder.options.arith, proof) }
}

fn invariants(bench: &Workbench<'_>, formulas: &[(LocId, TermId)], known: &Facts) -> Certificate {
    let (program, source, terms) = (bench.program(), &bench.task.source, &bench.terms);
    let numbers = |calls: &[EdgeId]| calls.iter().map(|e| e.index() as u32).collect();
    let back = &bench.task.prepared.back;
    let here = formulas.iter().map(|(loc, formula)| (Site::of_loc(program, *loc), *formula));
    let harmless = back.harmless.iter().map(|site| (site.clone(), terms.tru()));
    let mut claims: Vec<(Site<LocId>, TermId)> = here.chain(harmless).collect();
    let mut values = Values::default();
    let common = values.join(bench, known, &mut claims);
    let mut all = common.clone();
    all.extend(claims.iter().map(|(_, formula)| *formula));
    let mut symbols = bindings(bench, &all, &values.own);
    symbols.extend(values.own.into_iter().map(|(_, binding)| binding));
    let invariant = |(site, formula): &(Site<LocId>, TermId)| {
        let line = source.source.line(source.locs[site.origin].span);
        Invariant::new(site.origin, &site.calls, line, terms.smt(*formula))
    };
    let never = back
        .never
        .iter()
        .map(|site| NeverTaken { edge: site.origin.index() as u32, calls: numbers(&site.calls) });
    let addresses = bench.task.layout.addresses().into_iter();
    let proof = Invariants {
        symbols,
        addresses: addresses.map(|(key, address)| (Object(key), address)).collect(),
        never: never.collect(),
        common: common.into_iter().map(|formula| terms.smt(formula)).collect(),
        invariants: claims.iter().map(invariant).collect(),
    };
    of_expansion(bench, Proof::Invariants(proof))
}

/// What the symbols of formulas stand for.
fn bindings(bench: &Workbench<'_>, formulas: &[TermId], but: &[(TermId, Binding)]) -> Vec<Binding> {
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
    let mut symbols = terms.symbols_of_all(formulas);
    symbols.retain(|symbol| but.iter().all(|(own, _)| *own != terms.symbol_term(*symbol)));
    symbols.into_iter().map(binding).collect()
}

/// That variables have the values which folding took them for.
#[derive(Default)]
struct Values {
    symbols: FxHashMap<Site<VarId>, TermId>,
    /// Symbols of variables that the prepared program does without.
    own: Vec<(TermId, Binding)>,
}

impl Values {
    /// Puts what is known of values at its location beside each claim; what is known at all of them is returned instead.
    fn join(
        &mut self,
        bench: &Workbench<'_>,
        facts: &Facts,
        claims: &mut [(Site<LocId>, TermId)],
    ) -> Vec<TermId> {
        let terms = &bench.terms;
        // Where no run comes there is nothing more to say.
        let mut reached: Vec<_> =
            claims.iter_mut().filter(|(_, formula)| !terms.is_false(*formula)).collect();
        let mut count: FxHashMap<&Fact, usize> = FxHashMap::default();
        for (site, _) in &reached {
            facts.at(site).iter().for_each(|fact| *count.entry(fact).or_default() += 1);
        }
        let everywhere = |fact: &Fact| count[fact] == reached.len();
        let first = reached.first().map_or(&[][..], |(site, _)| facts.at(site));
        let common =
            first.iter().filter(|fact| everywhere(fact)).map(|fact| self.formula(bench, fact)).collect();
        let special: Vec<Vec<&Fact>> = reached
            .iter()
            .map(|(site, _)| facts.at(site).iter().filter(|fact| !everywhere(fact)).collect())
            .collect();
        for ((_, formula), facts) in reached.iter_mut().zip(special) {
            let known: Vec<TermId> = facts.into_iter().map(|fact| self.formula(bench, fact)).collect();
            *formula = terms.and([*formula].into_iter().chain(known));
        }
        common
    }

    fn formula(&mut self, bench: &Workbench<'_>, fact: &Fact) -> TermId {
        let symbol = match self.symbols.get(&fact.var) {
            Some(known) => *known,
            None => {
                let symbol = self.symbol(bench, &fact.var);
                self.symbols.insert(fact.var.clone(), symbol);
                symbol
            }
        };
        let ty = bench.task.source.vars[fact.var.origin].ty;
        let equal = |bits: &u128| bench.terms.eq(symbol, bench.encoder.bits(*bits, ty));
        bench.terms.or(fact.values.iter().map(equal))
    }

    fn symbol(&mut self, bench: &Workbench<'_>, var: &Site<VarId>) -> TermId {
        let (source, terms, layout) = (&bench.task.source, &bench.terms, &bench.task.layout);
        let key = ObjectKey::Var(var.origin, var.calls.clone());
        if let Some(cell) = layout.find_leaf(&key, 0)
            && matches!(layout.cells()[cell].kind, CellKind::Scalar { .. })
        {
            return bench.encoder.symbols(None).cells[cell];
        }
        let (name, ty) = (&source.vars[var.origin].name, source.vars[var.origin].ty);
        let sort = terms.sort(bench.encoder.bits(0, ty));
        // Reports show these formulas: the plain name is best, or one as cells have it, unless something else has that.
        let names = (1u32..).map(|n| if n == 1 { name.to_string() } else { format!("{name}@{n}") });
        let free = |name: &String| terms.find_symbol(name).is_none();
        let name = names.into_iter().find(free).unwrap_or_default();
        let symbol = terms.symbol(&name, sort);
        let binding = Binding {
            symbol: name,
            sort: terms.sort_text(sort),
            leaves: vec![(Object(key), 0)],
            array: false,
            address: false,
            word: Binding::word_of(&source.types, ty),
        };
        self.own.push((symbol, binding));
        symbol
    }
}

/// Literals of an invariant that is made readable: what is larger takes longer than it is worth, and nobody reads it.
const LITERALS: usize = 200;
/// Work for that: for the worst case only, about three seconds; what is small enough takes a fraction of it.
const WORK: u64 = 20_000_000;

/// An invariant as a person would write it, if that is quickly done: an equivalent formula without needless predicates.
pub(crate) fn readable(smt: &Smt, invariant: TermId) -> TermId {
    readable_where(smt, &[], invariant)
}

/// The same where other formulas hold: what these say is not said again.
pub(crate) fn readable_where(smt: &Smt, known: &[TermId], invariant: TermId) -> TermId {
    let simplified = || simplify_where(smt, known, invariant, LITERALS);
    let simpler = smt.as_part_of(Purpose::Checking, || smt.limited(WORK, simplified));
    simpler.ok().flatten().unwrap_or(invariant)
}
