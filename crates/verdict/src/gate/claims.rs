//! What a certificate claims of every run, in a form that one run can be held against.
//!
//! Formulas are read from the certificate's text once more, into terms of their own, conjunct by conjunct. A symbol gets the value that lies in
//! the bytes its binding names. Formulas speak of addresses as the checker laid memory out; where the interpreter put an object
//! elsewhere, pointers are translated. What cannot be translated is not guessed: such a formula is skipped.

use super::Contradicted;
use super::access::Accesses;
use super::formula::{Seen, Visits, conjuncts, is_defined, mathematical, number};
use crate::certificate::{Binding, Certificate, Invariants, Object, Proof};
use crate::check::Whole;
use crate::expand::Cuts;
use craig_base::Span;
use craig_cfa::interp::watch::Target;
use craig_cfa::interp::{self, Here, Thing, Watcher};
use craig_cfa::types::storage_bytes;
use craig_cfa::{
    CallString, CallStrings, EdgeId, Field, Graph, IntTy, LocId, Op, PlaceId, Program, RecordKind, Type,
    TypeId, VarId, arith,
};
use craig_encode::memory::{CellId, CellKind, ObjectKey};
use craig_encode::{Arith, Layout};
use craig_logic::{ArrayValue, Evaluator, Model, Op as Head, Sort, SymbolId, TermId, Terms, Value};
use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A place of the program under a string of calls.
type Site = (LocId, CallString);

pub(super) struct Claims<'a> {
    source: &'a Program,
    ground: &'a Whole,
    graph: Graph,
    arith: Arith,
    terms: Terms,
    symbols: FxHashMap<SymbolId, Symbol>,
    /// Where the layout of the checker has things, and back; none for those that the program can tell the place of.
    bases: FxHashMap<Thing, u64>,
    by_base: BTreeMap<u64, Thing>,
    /// Where the zone begins: nothing of a run lies there.
    zone: u64,
    formulas: Vec<Formula>,
    /// The formulas of each site.
    at: FxHashMap<Site, Vec<u32>>,
    /// Loop heads to which no run comes.
    unreached: FxHashSet<Site>,
    never: FxHashSet<(EdgeId, CallString)>,
    /// Calls that no run makes.
    unmade: FxHashSet<(EdgeId, CallString)>,
    accesses: Accesses<'a>,
    /// Where any of these are.
    pub locs: IndexVec<LocId, bool>,
}

/// A conjunct of an invariant.
struct Formula {
    term: TermId,
    /// Reads of arrays: symbol, index, read; inner ones first.
    reads: Vec<(SymbolId, TermId)>,
    symbols: Vec<SymbolId>,
    /// Terms in it.
    cost: u64,
    /// Can it be evaluated at all?
    usable: bool,
}

/// What a symbol stands for.
enum Symbol {
    Value {
        thing: Thing,
        offset: u64,
        word: Option<IntTy>,
    },
    /// Where something lies.
    Address(Thing),
    /// Where all lies that the program cannot tell the place of.
    Zone,
    /// A cell of the layout, by address.
    Array {
        cell: CellId,
        word: IntTy,
    },
    /// Nothing that a run has.
    Unknown,
}

impl<'a> Claims<'a> {
    pub fn new(source: &'a Program, ground: &'a Whole, certificate: &Certificate) -> Claims<'a> {
        let mut claims = Claims {
            source,
            ground,
            graph: source.graph(),
            arith: certificate.arith,
            terms: Terms::new(),
            symbols: FxHashMap::default(),
            bases: FxHashMap::default(),
            by_base: BTreeMap::new(),
            zone: ground.layout.heap_start().site.map_or(0, |_| 1 << (source.types.model.pointer_bits() - 2)),
            formulas: Vec::new(),
            at: FxHashMap::default(),
            unreached: FxHashSet::default(),
            never: FxHashSet::default(),
            unmade: FxHashSet::default(),
            accesses: Accesses::new(source, ground),
            locs: index_vec![false; source.locs.len()],
        };
        if let Proof::Invariants(proof) = &certificate.proof {
            claims.find_things();
            claims.read(proof);
            claims.find_unreached(proof);
        }
        claims.find_unmade(certificate);
        let sites = claims.at.keys().chain(&claims.unreached).map(|(loc, _)| *loc);
        let behind = claims.never.iter().map(|(edge, _)| source.edges[*edge].to);
        let entered = claims.unmade.iter().filter_map(|(edge, _)| match &source.edges[*edge].op {
            Op::Call(call) => Some(source.procs[call.proc].entry),
            _ => None,
        });
        for loc in sites.chain(behind).chain(entered).collect::<Vec<_>>() {
            claims.locs[loc] = true;
        }
        claims
    }

    /// The strings of calls that the checker knows.
    pub fn calls(&self) -> &'a CallStrings {
        &self.ground.expanded.program.calls
    }

    fn layout(&self) -> &'a Layout {
        &self.ground.layout
    }

    fn string(&self, calls: impl IntoIterator<Item = EdgeId>) -> Option<CallString> {
        calls.into_iter().try_fold(CallStrings::ROOT, |outer, edge| self.calls().find(outer, edge))
    }

    fn thing(&self, key: &ObjectKey) -> Option<Thing> {
        match key {
            ObjectKey::Var(var, calls) if *var < self.source.vars.len() => {
                Some(Thing::Var(*var, self.string(calls.iter().copied())?))
            }
            ObjectKey::Alloc(edge, calls) => Some(Thing::Alloc(*edge, self.string(calls.iter().copied())?)),
            ObjectKey::Proc(proc) => Some(Thing::Proc(*proc)),
            ObjectKey::Var(..) => None,
        }
    }

    fn find_things(&mut self) {
        for (key, base) in self.layout().addresses() {
            if let Some(thing) = self.thing(&key) {
                self.bases.insert(thing, self.zone + base);
                self.by_base.insert(self.zone + base, thing);
            }
        }
    }

    fn read(&mut self, proof: &Invariants) {
        let mut names: Vec<(&str, TermId)> = Vec::new();
        for binding in &proof.symbols {
            let Some(sort) = self.sort(binding) else { continue };
            let symbol = match self.terms.find_symbol(&binding.symbol) {
                Some(_) => self.terms.fresh(&binding.symbol, sort),
                None => self.terms.symbol(&binding.symbol, sort),
            };
            let stands_for = self.symbol(binding).unwrap_or(Symbol::Unknown);
            self.symbols.extend(self.terms.as_symbol(symbol).map(|id| (id, stands_for)));
            names.push((&binding.symbol, symbol));
        }
        for invariant in &proof.invariants {
            let loc = LocId::from_raw(invariant.location);
            let Some(calls) = self.string(invariant.calls.iter().map(|&e| EdgeId::from_raw(e))) else {
                continue;
            };
            if loc >= self.source.locs.len() {
                continue;
            }
            for text in [&invariant.formula].into_iter().chain(&proof.common) {
                // What the checker could not read either it refused.
                let Ok(term) = self.terms.read_term_with(text, names.iter().copied()) else { continue };
                for part in conjuncts(&self.terms, term) {
                    let formula = self.formula(part, (loc, calls));
                    self.at.entry((loc, calls)).or_default().push(self.formulas.len() as u32);
                    self.formulas.push(formula);
                }
            }
        }
        for claimed in &proof.never {
            let edge = EdgeId::from_raw(claimed.edge);
            let calls = self.string(claimed.calls.iter().map(|&e| EdgeId::from_raw(e)));
            if let (Some(calls), true) = (calls, edge < self.source.edges.len()) {
                self.never.insert((edge, calls));
            }
        }
    }

    fn sort(&self, binding: &Binding) -> Option<Sort> {
        let bits = |width: u32| match self.arith {
            Arith::Int => Sort::Int,
            Arith::Bv => Sort::BitVec(width),
        };
        let value = match (binding.word, binding.sort.as_str()) {
            (Some(0), _) => None,
            (Some(word), _) => Some(bits(word.unsigned_abs())),
            _ if binding.address => Some(bits(u32::from(self.source.types.model.pointer_bits()))),
            (None, "Bool") => Some(Sort::Bool),
            (None, "Int") => Some(Sort::Int),
            (None, "Real") => Some(Sort::Real),
            // The end of the heap, and Boogie's maps.
            (None, _) => None,
        }?;
        let address = bits(u32::from(self.source.types.model.pointer_bits()));
        Some(if binding.array { self.terms.array_sort(address, value) } else { value })
    }

    fn symbol(&self, binding: &Binding) -> Option<Symbol> {
        if binding.address && binding.leaves.is_empty() {
            return Some(Symbol::Zone);
        }
        let (Object(key), offset) = binding.leaves.first()?;
        if binding.address {
            return Some(Symbol::Address(self.thing(key)?));
        }
        let word = binding.word.map(|word| IntTy::new(word.unsigned_abs() as u16, word < 0));
        if binding.array {
            return Some(Symbol::Array { cell: self.layout().find_leaf(key, *offset)?, word: word? });
        }
        Some(Symbol::Value { thing: self.thing(key)?, offset: *offset, word })
    }

    fn formula(&self, term: TermId, site: Site) -> Formula {
        let terms = &self.terms;
        let parts = terms.postorder(&[term]);
        let symbols = terms.symbols_of_all(&[term]);
        let is_array = |t: TermId| matches!(terms.sort(t), Sort::Array(_));
        let mut reads = Vec::new();
        let evaluable = |t: TermId, reads: &mut Vec<(SymbolId, TermId)>| match terms.op(t) {
            // Of an array only what is read is known.
            Head::Select => match terms.as_symbol(terms.arg(t, 0)) {
                Some(array) => {
                    reads.push((array, terms.arg(t, 1)));
                    true
                }
                None => false,
            },
            Head::Eq | Head::Ite => !terms.args(t).iter().any(|a| is_array(*a)),
            Head::Store | Head::ConstArray => false,
            _ => is_defined(terms, t),
        };
        let usable = parts.iter().all(|t| evaluable(*t, &mut reads))
            && symbols.iter().all(|s| self.symbols.get(s).is_some_and(|s| self.holds_at(s, site)));
        Formula { term, reads, symbols, cost: parts.len() as u64, usable }
    }

    /// Does a run have a value for it whenever it is there?
    fn holds_at(&self, symbol: &Symbol, (loc, calls): Site) -> bool {
        let (Symbol::Value { thing: Thing::Var(var, of), .. } | Symbol::Address(Thing::Var(var, of))) =
            symbol
        else {
            return !matches!(symbol, Symbol::Unknown);
        };
        let Some(proc) = self.source.vars[*var].proc else { return true };
        let (inside, path) = (self.calls().path(calls), self.calls().path(*of));
        if !inside.starts_with(&path) {
            return false;
        }
        // In the formulas the variables of a procedure keep their values from one call to the next; in a run they do not.
        let here = inside.get(path.len()).map_or(loc, |call| self.source.edges[*call].from);
        proc == self.source.entry || self.is_set(*var, here)
    }

    /// Was the variable set on every path from the start of its procedure to here?
    fn is_set(&self, var: VarId, here: LocId) -> bool {
        let source = self.source;
        let Some(proc) = source.vars[var].proc else { return true };
        if source.procs[proc].params.contains(&var) {
            return true;
        }
        let sets = |place: PlaceId| source.exprs.root_var(place) == Some(var);
        let mut seen = FxHashSet::default();
        let mut open = vec![source.procs[proc].entry];
        while let Some(loc) = open.pop() {
            if loc == here {
                return false;
            }
            for edge in &self.graph.succ[loc] {
                let edge = &source.edges[*edge];
                let set = match &edge.op {
                    Op::Assign(place, _) | Op::Havoc(place, _) => sets(*place),
                    Op::Alloc { dst, .. } | Op::Realloc { dst, .. } => sets(*dst),
                    Op::Call(call) => call.ret.is_some_and(sets),
                    _ => false,
                };
                if !set && seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        true
    }

    /// The calls that the proof does not follow, since no run makes them.
    fn find_unmade(&mut self, certificate: &Certificate) {
        if certificate.unfollowed.is_empty() {
            return;
        }
        let program = &self.ground.expanded.program;
        let never = match &certificate.proof {
            Proof::Invariants(proof) => self.never_taken(proof),
            _ => index_vec![false; program.edges.len()],
        };
        let unmade = self.ground.flow(&never).unmade.into_iter().map(|id| &program.edges[id]);
        self.unmade = unmade.map(|edge| (edge.origin, edge.calls)).collect();
    }

    /// The edges of the expanded program that are claimed never to be taken.
    fn never_taken(&self, proof: &Invariants) -> IndexVec<EdgeId, bool> {
        let expanded = &self.ground.expanded;
        let calls = |calls: &[u32]| calls.iter().map(|&e| EdgeId::from_raw(e)).collect::<Vec<_>>();
        let mut never = index_vec![false; expanded.program.edges.len()];
        let sites = proof.never.iter().map(|n| (EdgeId::from_raw(n.edge), calls(&n.calls)));
        for edge in expanded.assumptions(sites).into_iter().flatten() {
            never[edge] = true;
        }
        never
    }

    /// The loop heads that the checker takes for unreachable, since they have no formula.
    fn find_unreached(&mut self, proof: &Invariants) {
        let expanded = &self.ground.expanded;
        let program = &expanded.program;
        let calls = |calls: &[u32]| calls.iter().map(|&e| EdgeId::from_raw(e)).collect::<Vec<_>>();
        let given = proof.invariants.iter();
        let given: FxHashSet<LocId> =
            given.filter_map(|i| expanded.find(LocId::from_raw(i.location), calls(&i.calls))).collect();
        let flow = self.ground.flow(&self.never_taken(proof));
        let cuts = Cuts::new(program, &flow, given.iter().copied());
        let entry = program.procs[program.entry].entry;
        for (loc, cut) in cuts.is_cut.iter_enumerated() {
            let claimed = *cut && flow.leads[loc] && !given.contains(&loc);
            let (origin, calls) = (program.locs[loc].origin, program.locs[loc].calls);
            // Where arguments are handed over there is no location of the source.
            let own = expanded.find(origin, self.calls().path(calls)) == Some(loc);
            if claimed && own && loc != entry && loc != program.error {
                self.unreached.insert((origin, calls));
            }
        }
    }

    /// The scalar that the type of a variable has at an offset, and whether it is no bit-field.
    fn declared(&self, mut ty: TypeId, mut offset: u64) -> Option<TypeId> {
        let types = &self.source.types;
        loop {
            match types.get(ty) {
                Type::Array { elem, .. } => {
                    offset %= types.size_of(*elem).filter(|size| *size > 0)?;
                    ty = *elem;
                }
                Type::Record(record) => {
                    let record = &types.records[*record];
                    let holds = |f: &&Field| {
                        let end = f.offset + types.size_of(f.ty).unwrap_or(0);
                        f.bit.is_none() && (f.offset..end).contains(&offset)
                    };
                    let field =
                        record.fields.iter().find(holds).filter(|_| record.kind == RecordKind::Struct)?;
                    offset -= field.offset;
                    ty = field.ty;
                }
                _ => return (offset == 0).then_some(ty),
            }
        }
    }

    /// Might these bits be a bit-field that does not begin with its byte?
    fn odd_field(&self, width: u16) -> bool {
        let types = &self.source.types;
        let odd = |f: &Field| {
            f.bit.is_some_and(|bit| bit > 0 || !width.is_multiple_of(8))
                && types.as_int(f.ty).is_some_and(|int| int.width == width)
        };
        types.records.iter().any(|record| record.fields.iter().any(odd))
    }

    /// The value of a machine word somewhere in memory.
    fn word(&self, here: &Here<'_, '_, '_>, thing: Thing, offset: u64, word: IntTy) -> Option<Value> {
        let declared = match thing {
            Thing::Var(var, _) => self.declared(self.source.vars[var].ty, offset),
            _ => None,
        };
        let as_declared = declared.and_then(|ty| self.source.types.as_word(ty));
        if as_declared.is_none_or(|own| own.width != word.width) && self.odd_field(word.width) {
            return None;
        }
        let read = here.read(thing, offset, storage_bytes(word.width) as usize)?;
        let interp::Value::Bits(bits) = read else { return None };
        let bits = arith::truncate(bits, word);
        let pointer_bits = self.source.types.model.pointer_bits();
        let pointer = match declared {
            Some(ty) => self.source.types.is_ptr(ty),
            None => !word.signed && word.width == pointer_bits,
        };
        let bits = match here.target(bits as u64) {
            _ if word.width != pointer_bits => bits,
            Target::Number => bits,
            Target::In(to, offset) if pointer => u128::from(self.base(here, to)?.checked_add(offset)?),
            // It may be an address or not.
            Target::In(..) => return None,
            Target::Lost if pointer => return None,
            Target::Lost => bits,
        };
        Some(self.number(bits, word))
    }

    /// Where something lies in the formulas.
    fn base(&self, here: &Here<'_, '_, '_>, thing: Thing) -> Option<u64> {
        self.bases.get(&thing).copied().or_else(|| here.address(thing).filter(|_| self.zone != 0))
    }

    fn number(&self, bits: u128, word: IntTy) -> Value {
        number(self.arith, bits, word)
    }

    fn address(&self, address: u64) -> Value {
        self.number(address.into(), IntTy::new(self.source.types.model.pointer_bits(), false))
    }

    /// The value of a symbol; an array comes without entries.
    fn value(&self, here: &Here<'_, '_, '_>, symbol: SymbolId) -> Option<Value> {
        match self.symbols.get(&symbol)? {
            Symbol::Unknown => None,
            Symbol::Address(thing) => Some(self.address(here.address(*thing)?)),
            Symbol::Zone => Some(self.address(self.zone)),
            Symbol::Array { word, .. } => {
                let default = self.number(0, *word);
                Some(Value::Array(Arc::new(ArrayValue { default, entries: BTreeMap::new() })))
            }
            Symbol::Value { thing, offset, word: Some(word) } => self.word(here, *thing, *offset, *word),
            Symbol::Value { thing, offset, word: None } => {
                mathematical(here.read(*thing, *offset, 0)?, self.terms.symbol_sort(symbol))
            }
        }
    }

    /// What an array has at an address of the layout.
    fn element(&self, here: &Here<'_, '_, '_>, array: SymbolId, address: &Value) -> Option<Value> {
        let Some(Symbol::Array { cell, word }) = self.symbols.get(&array) else { return None };
        let address = match address {
            Value::Num(number) => u64::try_from(number.numerator()).ok()?,
            Value::Bv(_, bits) => u64::try_from(bits.clone()).ok()?,
            _ => return None,
        };
        let (thing, offset) = match self.by_base.range(..=address).next_back() {
            Some((base, thing)) => (*thing, address - base),
            None => match here.target(address) {
                Target::In(thing, offset) if self.zone != 0 => (thing, offset),
                _ => return None,
            },
        };
        // Elsewhere it has no meaning.
        let own = self.layout().find_leaf(&self.accesses.name(thing), offset) == Some(*cell);
        let in_bytes = self.layout().cells()[*cell].kind == CellKind::Bytes;
        if !own || in_bytes && self.in_pointer(here, thing, offset) {
            return None;
        }
        self.word(here, thing, offset, *word)
    }

    /// Might a byte be one of an address?
    fn in_pointer(&self, here: &Here<'_, '_, '_>, thing: Thing, offset: u64) -> bool {
        let size = u64::from(self.source.types.model.pointer_bits()) / 8;
        (offset.saturating_sub(size - 1)..=offset).any(|start| {
            let read = here.read(thing, start, size as usize);
            matches!(read, Some(interp::Value::Bits(bits)) if here.target(bits as u64) != Target::Number)
        })
    }

    /// Is a formula true here? `None` if that cannot be said. With the values that it speaks of.
    fn holds(&self, here: &Here<'_, '_, '_>, formula: &Formula) -> Option<(bool, Model)> {
        if !formula.usable {
            return None;
        }
        let mut model = Model::new();
        for &symbol in &formula.symbols {
            model.set(symbol, self.value(here, symbol)?);
        }
        for &(array, index) in &formula.reads {
            let index = self.terms.eval(index, &model);
            let element = self.element(here, array, &index)?;
            let Some(Value::Array(known)) = model.get(array) else { return None };
            let mut known = ArrayValue::clone(known);
            known.set(index, element);
            model.set(array, Value::Array(Arc::new(known)));
        }
        Some((Evaluator::new(&self.terms, &model).holds(formula.term), model))
    }
}

/// One run past the claims.
pub(super) struct Tour<'c> {
    claims: &'c Claims<'c>,
    /// Accesses that the layout knows of, one of a kind.
    known: FxHashSet<(EdgeId, CallString, PlaceId, Thing, u64)>,
    visits: Visits<Site>,
    pub seen: Seen,
}

impl<'c> Tour<'c> {
    pub fn new(claims: &'c Claims<'c>, allowed: u64) -> Tour<'c> {
        Tour { claims, known: FxHashSet::default(), visits: Visits::default(), seen: Seen::new(allowed) }
    }

    /// Did the run make a call that the proof does not follow?
    fn beyond(&self, here: &Here<'_, '_, '_>) -> Option<(Contradicted, Span)> {
        let (edge, outer) = (here.edge()?, here.outer()?);
        let made = self.claims.unmade.contains(&(edge, outer));
        made.then(|| (Contradicted::Never { edge }, self.claims.source.edges[edge].span))
    }

    fn look(&mut self, here: &Here<'_, '_, '_>, site: Site) -> Option<(Contradicted, Span)> {
        let claims = self.claims;
        let source = claims.source;
        if let Some(edge) = here.edge()
            && claims.never.contains(&(edge, site.1))
            && source.edges[edge].to == site.0
        {
            return Some((Contradicted::Never { edge }, source.edges[edge].span));
        }
        let span = source.locs[site.0].span;
        if claims.unreached.contains(&site) {
            return Some((Contradicted::Unreached, span));
        }
        let formulas = claims.at.get(&site)?;
        if !self.visits.worth(site) {
            return None;
        }
        for &formula in formulas {
            let formula = &claims.formulas[formula as usize];
            let found =
                self.seen.hold(&claims.terms, (formula.term, formula.cost), || claims.holds(here, formula));
            if let Some(found) = found {
                return Some((found, span));
            }
        }
        None
    }
}

impl Watcher for Tour<'_> {
    fn touch(
        &mut self,
        here: &Here<'_, '_, '_>,
        place: PlaceId,
        thing: Thing,
        offset: u64,
    ) -> ControlFlow<()> {
        let (Some(edge), Some(calls)) = (here.edge(), here.calls()) else { return ControlFlow::Continue(()) };
        if self.known.contains(&(edge, calls, place, thing, offset)) || !self.seen.may_spend() {
            return ControlFlow::Continue(());
        }
        self.seen.cost += 1;
        let accesses = &self.claims.accesses;
        let object = accesses.name(thing);
        match accesses.covered((edge, calls), place, &object, offset) {
            Some(false) => {
                let object = Object(object);
                let span = self.claims.source.edges[edge].span;
                self.seen.found = Some((Contradicted::Access { place, object, offset }, span));
                return ControlFlow::Break(());
            }
            Some(true) => self.seen.accesses += 1,
            None => {}
        }
        self.known.insert((edge, calls, place, thing, offset));
        ControlFlow::Continue(())
    }

    fn arrive(&mut self, here: &Here<'_, '_, '_>) -> ControlFlow<()> {
        self.seen.found = match here.calls() {
            Some(calls) => self.look(here, (here.loc(), calls)),
            None => self.beyond(here),
        };
        if self.seen.found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
