//! Recursive programs as Horn clauses: procedures as relations (`SPACER`).
//!
//! The program has its procedures side by side ([`Separated`]), cut at loops, entries, exits and around calls. There are two kinds of relations:
//! - A *summary* of a procedure relates the values at its entry and those when it returns; on the way there, at each cut, the values at the
//!   entry and those of now. It holds for every entry, whether or not a run calls it so: what a procedure does is found from the inside.
//! - A *path* has the states of runs at a cut on the way to the error: of the procedures that may be running when it is reached. They are
//!   entered over calls and not left; a call that returns is gone over by the summary of the callee, a clause with two premises.
//!
//! Formulas for the relations are a proof by procedures: the path relation at the entry of a procedure is what it needs, nothing if the error
//! is not inside; its summary what it does; both together are the invariant of a loop. A derivation is no execution yet: executions are
//! looked for by other engines.
//!
//! Arguments are what a procedure may read or change, itself or by what it calls, as the formulas of its segments say; everything else stays
//! as it is over a call, and the checker knows that, too. Memory behind pointers is an argument like any other where it is an array; formulas that speak
//! of it have no words in a certificate and are left out of it.

use super::gave_up;
use crate::certificate::readable;
use crate::run::{Found, Observer, Search, Stats};
use crate::task::Task;
use craig_base::Budget;
use craig_cfa::{LocId, ProcId, Program, VarId};
use craig_encode::memory::{AddressMap, CellId, ObjectKey, Seen};
use craig_encode::state::cell_sort;
use craig_encode::{Arith, Encoder, Layout, Options, Part, State, Uninlined};
use craig_logic::{Rat, Sort, TermId, Terms};
use craig_smt::Smt;
use craig_smt::horn::{self, Clauses, Rule, Solved, Unsolved};
use craig_verdict::certificate::{Certificate, Invariant, Procedures, Proof, Summary, Symbol};
use craig_verdict::expand::{Cuts, Flow};
use craig_verdict::segment::{Point, Segment, Walker};
use craig_verdict::separate::Separated;
use craig_verdict::{Outcome, Reason, check};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A recursive program, made ready.
pub struct Question<'t> {
    task: &'t Task,
    arith: Arith,
    guidance: bool,
    budget: Budget,
    smt: Option<Smt>,
    relations: usize,
    rules: usize,
}

impl<'t> Question<'t> {
    pub fn new(task: &'t Task, arith: Arith, guidance: bool, budget: &Budget) -> Question<'t> {
        Question { task, arith, guidance, budget: budget.clone(), smt: None, relations: 0, rules: 0 }
    }
}

impl Search for Question<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        observer.progress(&crate::run::Progress { phase: "procedures".into(), solver_calls: 0 });
        let source = &*self.task.source;
        let separated = Separated::new(source)?;
        let seen = Seen::new(&separated.program, &self.budget)?;
        let layout = Layout::new(&separated.program, &seen, &AddressMap::new(), &self.budget)?;
        let terms = Rc::new(Terms::new());
        let smt =
            Smt::new(Rc::clone(&terms), self.budget.clone()).map_err(|e| Reason::Internal(e.to_string()))?;
        let options = Options { arith: self.arith, signed_wrap: self.task.signed_wrap };
        let encoder = Encoder::new(&separated.program, &layout, Rc::clone(&terms), options);
        let horn = Horn::new(source, &separated, &encoder, &self.budget)?;
        let (clauses, names) = horn.clauses();
        (self.relations, self.rules) = (clauses.relations.len(), clauses.rules.len());
        let solved = horn::solve(&smt, &clauses, self.guidance);
        let found = match solved {
            Ok(Solved::Empty(formulas)) => {
                let known = names.into_iter().zip(formulas).collect();
                let (certificate, left_out) = horn.certificate(&smt, &known);
                let signed_wrap = self.task.signed_wrap;
                let refused = || check(source, &certificate, signed_wrap, &self.budget).is_err();
                match left_out && refused() {
                    true => Err(gave_up("a contract that a proof has no words for")),
                    false => Ok(Outcome::Safe(certificate)),
                }
            }
            Ok(Solved::Derived(_)) => Err(gave_up("a derivation that is no run")),
            Err(Unsolved::Undecided(why)) => Err(why.into()),
            Err(Unsolved::Unreadable(words)) => Err(gave_up(&words)),
        };
        self.smt = Some(smt);
        found
    }

    fn report(&self, stats: &mut Stats) {
        stats.set("relations", self.relations as f64);
        stats.set("rules", self.rules as f64);
        self.smt.iter().for_each(|smt| stats.solver(smt));
    }
}

/// A relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Name {
    /// States of runs at a cut on the way to the error.
    Path(LocId),
    /// What a procedure did from its entry to a cut.
    Inside(LocId),
    /// What it did when it returns.
    Summary(ProcId),
    Error,
}

/// A relation and its arguments.
type Fact = (Name, Vec<TermId>);

/// Values of the state by their slots: cells, and last the end of the heap.
type Slot = usize;

/// A call: where the arguments are handed over, where control goes on, what is called.
struct CallSite {
    handed: LocId,
    back: LocId,
    callee: ProcId,
}

struct Horn<'a> {
    source: &'a Program,
    encoder: &'a Encoder<'a>,
    /// Symbols of the state of now, and of that at the entry.
    now: Vec<TermId>,
    entry: Vec<TermId>,
    /// The procedure of each location of the separated program.
    owner: IndexVec<LocId, Option<ProcId>>,
    calls: Vec<CallSite>,
    segments: BTreeMap<LocId, Segment>,
    /// Where loops are cut, in the source program.
    loops: Vec<LocId>,
    start: LocId,
    results: IndexVec<ProcId, Option<VarId>>,
    /// May be running when the error is reached.
    on_path: IndexVec<ProcId, bool>,
    called: IndexVec<ProcId, bool>,
    /// What belongs to an activation of a procedure, parameters among it.
    frame: IndexVec<ProcId, BTreeSet<Slot>>,
    params: IndexVec<ProcId, BTreeSet<Slot>>,
    /// Of all else what it reads or changes, with those that it calls; and what it changes of that.
    touched: IndexVec<ProcId, BTreeSet<Slot>>,
    changed: IndexVec<ProcId, BTreeSet<Slot>>,
    /// For values that are numbers within limits, these.
    ranges: Vec<Option<TermId>>,
    entry_ranges: Vec<Option<TermId>>,
}

fn flat(state: &State) -> Vec<TermId> {
    crate::slots::flat(state)
}

impl<'a> Horn<'a> {
    fn new(
        source: &'a Program,
        separated: &'a Separated,
        encoder: &'a Encoder<'a>,
        budget: &Budget,
    ) -> Result<Horn<'a>, Reason> {
        let program = &separated.program;
        let flow = Flow::of_all(program);
        let procs = || source.procs.iter_enumerated();
        let entries = procs().filter(|(id, _)| separated.called[*id]).map(|(_, proc)| proc.entry);
        let exits = procs().filter(|(id, _)| separated.reached[*id]).map(|(_, proc)| proc.exit);
        let ends: Vec<LocId> = entries.chain(exits).collect();
        // As the checker cuts loops when nobody tells it where.
        let plain = Cuts::new(program, &flow, ends.iter().copied());
        let is_end: BTreeSet<LocId> = ends.iter().copied().collect();
        let start = separated.start();
        let inside = |loc: &LocId| {
            let other = *loc == start || *loc == program.error || is_end.contains(loc);
            *loc < source.locs.len() && !other
        };
        let cut = plain.is_cut.iter_enumerated().filter(|(_, cut)| **cut).map(|(loc, _)| loc);
        let loops: Vec<LocId> = cut.filter(inside).collect();
        let mut calls: Vec<CallSite> = Vec::new();
        for (edge, callee) in &separated.calls {
            let edge = &program.edges[*edge];
            calls.push(CallSite { handed: edge.from, back: edge.to, callee: *callee });
        }
        calls.sort_by_key(|call| call.handed);
        let around = calls.iter().flat_map(|call| [call.handed, call.back]);
        let given: Vec<LocId> = ends.iter().chain(&loops).copied().chain(around).collect();
        let cuts = Cuts::new(program, &flow, given);
        let overflow = vec![None; program.edges.len()];
        let walker = Walker { encoder, flow: &flow, cuts: &cuts, overflow: &overflow, calls: &() };
        let owner = separated.owners(source);
        let mut segments = BTreeMap::new();
        let is_start = |loc: LocId| {
            let reached = owner[loc].is_some_and(|proc| separated.reached[proc]);
            loc == start || reached && source.procs.iter().all(|proc| proc.exit != loc)
        };
        for (loc, _) in cuts.is_cut.iter_enumerated().filter(|(_, cut)| **cut) {
            if loc == program.error || !is_start(loc) {
                continue;
            }
            let mut part = Part::new();
            let state = if loc == start { encoder.initial(&mut part) } else { encoder.symbols(None) };
            let point = Point { loc, guard: encoder.terms.tru(), state: Rc::new(state) };
            segments.insert(loc, walker.walk(vec![point], part, budget)?);
        }
        let now = flat(&encoder.symbols(None));
        let terms = &encoder.terms;
        let old = |symbol: &TermId| {
            let name = terms.as_symbol(*symbol).map(|id| terms.symbol_name(id));
            terms.fresh(&format!("old {}", name.as_deref().unwrap_or("")), terms.sort(*symbol))
        };
        let entry: Vec<TermId> = now.iter().map(old).collect();
        let range = |symbols: &[TermId]| {
            let mut ranges: Vec<_> = encoder
                .layout
                .cells()
                .indices()
                .map(|cell| {
                    let range = encoder.cell_range(cell)?;
                    let number = |n: i128| terms.numeral(&Rat::from_ibig(n.into()), Sort::Int);
                    let symbol = symbols[cell.index()];
                    Some(
                        terms
                            .and([terms.le(number(range.low), symbol), terms.le(symbol, number(range.high))]),
                    )
                })
                .collect();
            ranges.push(None);
            ranges
        };
        let (ranges, entry_ranges) = (range(&now), range(&entry));
        let none = || index_vec![BTreeSet::new(); source.procs.len()];
        let mut horn = Horn {
            source,
            encoder,
            now,
            entry,
            owner,
            calls,
            segments,
            loops,
            start,
            results: separated.results.clone(),
            on_path: index_vec![false; source.procs.len()],
            called: separated.called.clone(),
            frame: none(),
            params: none(),
            touched: none(),
            changed: none(),
            ranges,
            entry_ranges,
        };
        horn.find_frames(separated);
        horn.find_touched();
        horn.find_operations(separated)?;
        horn.close_touched();
        horn.find_on_path();
        Ok(horn)
    }

    /// The procedure that the end of a segment is the exit of.
    fn exit_of(&self, loc: LocId) -> Option<ProcId> {
        let proc = self.source.locs.get(loc)?.proc;
        (self.source.procs[proc].exit == loc && loc != self.source.error).then_some(proc)
    }

    /// The called procedure that begins there.
    fn entered(&self, loc: LocId) -> Option<ProcId> {
        let proc = self.source.locs.get(loc)?.proc;
        (self.source.procs[proc].entry == loc && self.called[proc]).then_some(proc)
    }

    fn variable(&self, cell: CellId) -> Option<(VarId, u64)> {
        let layout = self.encoder.layout;
        match &layout.cells()[cell].leaves[..] {
            [(object, offset)] => match layout.key(*object)? {
                ObjectKey::Var(var, calls) if calls.is_empty() => Some((*var, *offset)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The procedure whose result, or a part of it, a slot is.
    fn result_of(&self, slot: Slot) -> Option<ProcId> {
        let cell = self.encoder.layout.cells().indices().nth(slot)?;
        let (var, _) = self.variable(cell)?;
        self.results.iter_enumerated().find(|(_, result)| **result == Some(var)).map(|(proc, _)| proc)
    }

    fn find_frames(&mut self, separated: &Separated) {
        let program = &separated.program;
        let handed: FxHashMap<VarId, VarId> = separated.arguments.iter().map(|(p, a)| (*a, *p)).collect();
        for cell in self.encoder.layout.cells().indices() {
            let Some((var, _)) = self.variable(cell) else { continue };
            if cell_sort(program, &self.encoder.terms, self.encoder.options.arith, self.encoder.layout, cell)
                .is_none()
            {
                continue;
            }
            if let Some(proc) = self.source.vars.get(var).and_then(|var| var.proc) {
                self.frame[proc].insert(cell.index());
                if self.source.procs[proc].params.contains(&var) {
                    self.params[proc].insert(cell.index());
                }
            } else if let Some(callee) = handed.get(&var).and_then(|param| self.source.vars[*param].proc) {
                // Between handing over and entering, an argument belongs to the caller.
                let callers = self.calls.iter().filter(|call| call.callee == callee);
                for caller in callers.filter_map(|call| self.owner[call.handed]) {
                    self.frame[caller].insert(cell.index());
                }
            }
        }
    }

    /// What procedures read and change, by the formulas of their segments.
    fn find_touched(&mut self) {
        let terms = &self.encoder.terms;
        let slots: FxHashMap<TermId, Slot> = self.now.iter().enumerate().map(|(i, s)| (*s, i)).collect();
        for (loc, segment) in &self.segments {
            let Some(proc) = self.owner[*loc] else { continue };
            let mut roots = segment.part.constraints.clone();
            for end in &segment.ends {
                if self.calls.iter().any(|call| call.handed == *loc && call.back == end.loc) {
                    continue;
                }
                roots.push(end.guard);
                let after = flat(&end.state);
                for slot in (0..after.len()).filter(|slot| after[*slot] != self.now[*slot]) {
                    roots.push(after[slot]);
                    let into = self.entered(end.loc);
                    // Parameters are set for the callee.
                    if into.is_none_or(|callee| !self.params[callee].contains(&slot)) {
                        self.changed[proc].insert(slot);
                    }
                }
            }
            let read = terms.symbols_of_all(&roots);
            let read = read.into_iter().filter_map(|s| slots.get(&terms.symbol_term(s)).copied());
            self.touched[proc].extend(read);
        }
    }

    /// What operations that no segment comes to would change: to the checker a call changes that as well, so that summaries have to say that it stays.
    fn find_operations(&mut self, separated: &Separated) -> Result<(), Reason> {
        let framed: BTreeSet<Slot> = self.frame.iter().flatten().copied().collect();
        let state = self.encoder.symbols(None);
        for (id, edge) in separated.program.edges.iter_enumerated() {
            let Some(proc) = self.owner[edge.from].filter(|_| !separated.calls.contains_key(&id)) else {
                continue;
            };
            let mut after = state.clone();
            self.encoder
                .op(&edge.op, edge.origin, edge.calls, &mut after, &mut Part::new())
                .map_err(|Uninlined(proc)| Reason::recursion(self.source.procs[proc].name.clone()))?;
            let after = flat(&after);
            let changed = (0..after.len()).filter(|slot| after[*slot] != self.now[*slot]);
            self.changed[proc].extend(changed.filter(|slot| !framed.contains(slot)));
        }
        Ok(())
    }

    /// With all that is called, and without what belongs to activations.
    fn close_touched(&mut self) {
        for proc in self.source.procs.indices() {
            let own = std::mem::take(&mut self.changed[proc]);
            self.changed[proc] = own.difference(&self.frame[proc]).copied().collect();
            let own: BTreeSet<Slot> = self.touched[proc].union(&self.changed[proc]).copied().collect();
            self.touched[proc] = own.difference(&self.frame[proc]).copied().collect();
        }
        // With all that is called, whose results are values of the caller.
        let mut grew = true;
        while std::mem::take(&mut grew) {
            for call in &self.calls {
                let Some(caller) = self.owner[call.handed] else { continue };
                for sets in [&mut self.changed, &mut self.touched] {
                    let more = sets[call.callee].clone();
                    let before = sets[caller].len();
                    sets[caller].extend(more);
                    grew |= sets[caller].len() > before;
                }
            }
        }
        for proc in self.source.procs.indices() {
            let of_others = |slot: &Slot| self.result_of(*slot).is_some_and(|of| of != proc);
            let others: BTreeSet<Slot> = self.touched[proc].iter().copied().filter(of_others).collect();
            // Results of others: read behind a call, and no business of who called this one.
            self.frame[proc].extend(&others);
            self.changed[proc].retain(|slot| !others.contains(slot));
            self.touched[proc].retain(|slot| !others.contains(slot));
        }
    }

    fn find_on_path(&mut self) {
        let source = self.source;
        let mut open: Vec<ProcId> = vec![source.entry];
        let to_error = source.edges.iter().filter(|edge| edge.to == source.error);
        open.extend(to_error.map(|edge| source.locs[edge.from].proc));
        while let Some(proc) = open.pop() {
            if std::mem::replace(&mut self.on_path[proc], true) {
                continue;
            }
            let callers = self.calls.iter().filter(|call| call.callee == proc);
            open.extend(callers.filter_map(|call| self.owner[call.handed]));
        }
    }

    /// The slots of a state that a path relation in a procedure has.
    fn path_slots(&self, proc: ProcId) -> BTreeSet<Slot> {
        let mut slots = self.frame[proc].clone();
        let others = self.on_path.iter_enumerated().filter(|(_, on)| **on).map(|(other, _)| other);
        for other in others {
            slots.extend(&self.touched[other]);
        }
        slots
    }

    /// The slots at the entry that relations of a procedure speak of.
    fn entry_slots(&self, proc: ProcId) -> BTreeSet<Slot> {
        let touched = self.touched[proc].iter().filter(|slot| self.result_of(**slot).is_none());
        self.params[proc].iter().chain(touched).copied().collect()
    }

    /// Values at the entry, then those of now.
    fn arguments(&self, name: Name, entry: &[TermId], now: &[TermId]) -> Vec<TermId> {
        let pick = |slots: &BTreeSet<Slot>, of: &[TermId]| slots.iter().map(|s| of[*s]).collect::<Vec<_>>();
        match name {
            Name::Error => Vec::new(),
            Name::Path(loc) => self.owner[loc].map_or(Vec::new(), |proc| pick(&self.path_slots(proc), now)),
            Name::Inside(loc) => self.owner[loc].map_or(Vec::new(), |proc| {
                let mut arguments = pick(&self.entry_slots(proc), entry);
                let slots = self.frame[proc].union(&self.changed[proc]).copied().collect();
                arguments.extend(pick(&slots, now));
                arguments
            }),
            Name::Summary(proc) => {
                let mut arguments = pick(&self.entry_slots(proc), entry);
                arguments.extend(pick(&self.changed[proc], now));
                arguments
            }
        }
    }

    /// The clauses, and the names of their relations.
    fn clauses(&self) -> (Clauses, Vec<Name>) {
        let mut names: Vec<Name> = vec![Name::Error];
        let mut numbers: FxHashMap<Name, usize> = FxHashMap::from_iter([(Name::Error, 0)]);
        let mut rules: Vec<Rule> = Vec::new();
        let mut number = |name: Name| {
            *numbers.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            })
        };
        for (loc, segment) in &self.segments {
            let proc = self.owner[*loc];
            let from_start = *loc == self.start;
            if from_start || proc.is_some_and(|proc| self.on_path[proc]) {
                let from = if from_start { Vec::new() } else { vec![Name::Path(*loc)] };
                self.steps(
                    *loc,
                    segment,
                    &from,
                    &self.now,
                    &mut |end| match self.entered(end.loc) {
                        Some(callee) => (self.on_path[callee]).then_some(Name::Path(end.loc)),
                        None if end.loc == self.source.error => Some(Name::Error),
                        None => self.exit_of(end.loc).is_none().then_some(Name::Path(end.loc)),
                    },
                    &mut |from, formula, to| rules.push(self.rule(from, formula, to, &mut number)),
                );
            }
            if let Some(proc) = proc.filter(|proc| self.called[*proc]) {
                let at_entry = *loc == self.source.procs[proc].entry;
                let (from, entry) = match at_entry {
                    true => (Vec::new(), &self.now),
                    false => (vec![Name::Inside(*loc)], &self.entry),
                };
                self.steps(
                    *loc,
                    segment,
                    &from,
                    entry,
                    &mut |end| match self.exit_of(end.loc) {
                        Some(proc) => Some(Name::Summary(proc)),
                        None if end.loc == self.source.error || self.entered(end.loc).is_some() => None,
                        None => Some(Name::Inside(end.loc)),
                    },
                    &mut |from, formula, to| rules.push(self.rule(from, formula, to, &mut number)),
                );
            }
        }
        let relations = names.iter().map(|name| self.arguments(*name, &self.entry, &self.now)).collect();
        (Clauses { relations, rules, query: 0 }, names)
    }

    fn rule(
        &self,
        from: Vec<Fact>,
        formula: TermId,
        to: Fact,
        number: &mut dyn FnMut(Name) -> usize,
    ) -> Rule {
        let from = from.into_iter().map(|(name, arguments)| (number(name), arguments)).collect();
        Rule { from, formula, to: (number(to.0), to.1) }
    }

    /// The clauses of a segment: `target` says which relation an end belongs to.
    fn steps(
        &self,
        loc: LocId,
        segment: &Segment,
        from: &[Name],
        entry: &[TermId],
        target: &mut dyn FnMut(&Point) -> Option<Name>,
        emit: &mut dyn FnMut(Vec<Fact>, TermId, Fact),
    ) {
        let terms = &self.encoder.terms;
        let premises: Vec<Fact> =
            from.iter().map(|name| (*name, self.arguments(*name, entry, &self.now))).collect();
        // Values of machine integers lie in their types.
        let known = |arguments: &[TermId]| {
            let of = |symbols: &[TermId], ranges: &[Option<TermId>]| {
                let within = symbols.iter().zip(ranges).filter(|(s, _)| arguments.contains(s));
                within.filter_map(|(_, range)| *range).collect::<Vec<_>>()
            };
            let mut all = of(&self.now, &self.ranges);
            all.extend(of(&self.entry, &self.entry_ranges));
            all
        };
        let mut formula: Vec<TermId> = premises.iter().flat_map(|(_, arguments)| known(arguments)).collect();
        if from.is_empty() {
            formula.extend(self.ranges.iter().flatten());
        }
        formula.extend(&segment.part.constraints);
        let call = self.calls.iter().find(|call| call.handed == loc);
        for end in &segment.ends {
            if call.is_some_and(|call| call.back == end.loc) {
                continue;
            }
            let Some(to) = target(end) else { continue };
            let mut body = formula.clone();
            body.push(end.guard);
            let arguments = self.arguments(to, entry, &flat(&end.state));
            emit(premises.clone(), terms.and(body), (to, arguments));
        }
        let Some(call) = call else { return };
        let callee = &self.source.procs[call.callee];
        let Some(into) = segment.ends.iter().find(|end| end.loc == callee.entry) else { return };
        // What the callee changes is whatever its summary says.
        let mut after = self.now.clone();
        let mut body = formula;
        body.push(into.guard);
        for &slot in &self.changed[call.callee] {
            after[slot] = terms.fresh("after", terms.sort(self.now[slot]));
            if let Some(range) = self.ranges[slot] {
                body.push(terms.substitute(range, &[(self.now[slot], after[slot])].into_iter().collect()));
            }
        }
        let mut premises = premises;
        let name = Name::Summary(call.callee);
        premises.push((name, self.arguments(name, &flat(&into.state), &after)));
        let back = Point { loc: call.back, guard: terms.tru(), state: Rc::clone(&into.state) };
        let Some(to) = target(&back) else { return };
        let arguments = self.arguments(to, entry, &after);
        emit(premises, terms.and(body), (to, arguments));
    }

    /// The proof by procedures that formulas for the relations are, and whether something was left out of it. To what has none no run comes.
    fn certificate(&self, smt: &Smt, known: &FxHashMap<Name, TermId>) -> (Certificate, bool) {
        let terms = &self.encoder.terms;
        let mut words =
            Words { horn: self, symbols: Vec::new(), named: FxHashMap::default(), left_out: false };
        let mut proof = Procedures::default();
        let formula = |name: Name| known.get(&name).copied().unwrap_or(terms.fls());
        let line = |loc: LocId| self.source.source.line(self.source.locs[loc].span);
        for (id, proc) in self.source.procs.iter_enumerated().filter(|(id, _)| self.called[*id]) {
            let needs = if self.on_path[id] {
                // There now is when it was entered.
                let map = self.now.iter().copied().zip(self.entry.iter().copied()).collect();
                terms.substitute(formula(Name::Path(proc.entry)), &map)
            } else {
                terms.tru()
            };
            let needs = terms.smt(words.of(readable(smt, needs)));
            proof.invariants.push(Invariant::new(proc.entry, &[], line(proc.entry), needs));
            let does = terms.smt(words.of(readable(smt, formula(Name::Summary(id)))));
            proof.summaries.push(Summary::new(self.source, id, does));
        }
        for &loc in &self.loops {
            let Some(proc) = self.owner[loc] else { continue };
            let mut said = Vec::new();
            if self.on_path[proc] {
                said.push(formula(Name::Path(loc)));
            }
            if self.called[proc] {
                said.push(formula(Name::Inside(loc)));
            }
            let invariant = terms.smt(words.of(readable(smt, terms.and(said))));
            proof.invariants.push(Invariant::new(loc, &[], line(loc), invariant));
        }
        proof.symbols = words.symbols;
        (Certificate::new(self.encoder.options.arith, Proof::Procedures(proof)), words.left_out)
    }
}

/// Symbols of a certificate, as formulas need them.
struct Words<'h, 'a> {
    horn: &'h Horn<'a>,
    symbols: Vec<Symbol>,
    named: FxHashMap<TermId, bool>,
    /// Was there something without words?
    left_out: bool,
}

impl Words<'_, '_> {
    /// The formula without conjuncts that speak of what a certificate has no words for.
    fn of(&mut self, formula: TermId) -> TermId {
        let terms = &self.horn.encoder.terms;
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
        let Horn { source, encoder, now, entry, results, .. } = self.horn;
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
        let (var, offset) = self.horn.variable(CellId::from_usize(slot))?;
        if let Some((proc, _)) = results.iter_enumerated().find(|(_, r)| **r == Some(var)) {
            return Symbol::result(source, arith, &name, source.procs[proc].ret, offset)
                .filter(|_| !at_entry);
        }
        if var >= source.vars.len() {
            return None;
        }
        let make = if at_entry { Symbol::entry } else { Symbol::now };
        let made = make(source, arith, &name, var, offset)?;
        (made.sort == encoder.terms.sort_text(encoder.terms.sort(symbol))).then_some(made)
    }
}
