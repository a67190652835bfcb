//! Procedures as they are, for engines that take each of them once: what a program does between its cuts, and what calls read and change.
//!
//! The program has its procedures side by side ([`Separated`]), cut at loops, entries, exits and around calls. Segments are those of the checker
//! ([`craig_verdict::segment`]): what is wrong there is wrong for the checker with or without an engine, and one encoding of calls is less to get wrong than two.
//!
//! A formula of an engine speaks of two states: that at the entry of the running activation ([`Divided::entry`]) and that of now ([`Divided::now`]).
//! Formulas become a proof by procedures in [`certificate`].

pub mod certificate;

use crate::slots::flat;
use craig_base::Budget;
use craig_cfa::{Edge, LocId, Op, ProcId, Program, VarId};
use craig_encode::memory::{CellId, ObjectKey};
use craig_encode::state::cell_sort;
use craig_encode::{Encoder, Part, Uninlined};
use craig_logic::{Rat, Sort, TermId};
use craig_verdict::Reason;
use craig_verdict::expand::{Cuts, Flow};
use craig_verdict::segment::{Point, Segment, Walker};
use craig_verdict::separate::Separated;
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Values of the state by their slots: cells, and last the end of the heap.
pub type Slot = usize;

/// A call: where the arguments are handed over, where control goes on, what is called.
#[derive(Debug)]
pub struct CallSite {
    pub handed: LocId,
    pub back: LocId,
    pub callee: ProcId,
}

/// A program divided into the segments of its procedures.
#[derive(Debug)]
pub struct Divided<'a> {
    pub source: &'a Program,
    pub encoder: &'a Encoder<'a>,
    /// Symbols of the state of now, and of that at the entry.
    pub now: Vec<TermId>,
    pub entry: Vec<TermId>,
    /// The procedure of each location of the separated program.
    pub owner: IndexVec<LocId, Option<ProcId>>,
    pub calls: Vec<CallSite>,
    pub segments: BTreeMap<LocId, Segment>,
    /// Where loops are cut, in the source program.
    pub loops: Vec<LocId>,
    pub start: LocId,
    pub results: IndexVec<ProcId, Option<VarId>>,
    /// Parameters that stay what they were called with: what the program makes of them is elsewhere.
    pub kept: BTreeSet<VarId>,
    /// May be running when the error is reached.
    pub on_path: IndexVec<ProcId, bool>,
    pub called: IndexVec<ProcId, bool>,
    /// What belongs to an activation of a procedure, parameters among it.
    pub frame: IndexVec<ProcId, BTreeSet<Slot>>,
    pub params: IndexVec<ProcId, BTreeSet<Slot>>,
    /// Of all else what it reads or changes, with those that it calls; and what it changes of that.
    pub touched: IndexVec<ProcId, BTreeSet<Slot>>,
    pub changed: IndexVec<ProcId, BTreeSet<Slot>>,
    /// For values that are numbers within limits, these.
    pub ranges: Vec<Option<TermId>>,
    pub entry_ranges: Vec<Option<TermId>>,
}

impl<'a> Divided<'a> {
    pub fn new(
        source: &'a Program,
        separated: &'a Separated,
        encoder: &'a Encoder<'a>,
        budget: &Budget,
    ) -> Result<Divided<'a>, Reason> {
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
        let allocates = |edge: &Edge| matches!(edge.op, Op::Alloc { .. } | Op::Realloc { .. });
        let allocates = program.edges.iter().any(allocates);
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
            let heap = symbols.last().filter(|_| allocates);
            ranges.push(heap.and_then(|heap| encoder.heap_range(*heap)));
            ranges
        };
        let (ranges, entry_ranges) = (range(&now), range(&entry));
        let none = || index_vec![BTreeSet::new(); source.procs.len()];
        let mut divided = Divided {
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
            kept: separated.pointers.keys().copied().collect(),
            on_path: index_vec![false; source.procs.len()],
            called: separated.called.clone(),
            frame: none(),
            params: none(),
            touched: none(),
            changed: none(),
            ranges,
            entry_ranges,
        };
        divided.find_frames(separated);
        divided.find_touched();
        divided.find_operations(separated)?;
        divided.close_touched();
        divided.find_on_path();
        Ok(divided)
    }

    /// The procedure that the end of a segment is the exit of.
    pub fn exit_of(&self, loc: LocId) -> Option<ProcId> {
        let proc = self.source.locs.get(loc)?.proc;
        (self.source.procs[proc].exit == loc && loc != self.source.error).then_some(proc)
    }

    /// The called procedure that begins there.
    pub fn entered(&self, loc: LocId) -> Option<ProcId> {
        let proc = self.source.locs.get(loc)?.proc;
        (self.source.procs[proc].entry == loc && self.called[proc]).then_some(proc)
    }

    pub fn variable(&self, cell: CellId) -> Option<(VarId, u64)> {
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
    pub fn result_of(&self, slot: Slot) -> Option<ProcId> {
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
            if let Some(proc) = separated.frame(var) {
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

    /// The slots at the entry that relations of a procedure speak of.
    pub fn entry_slots(&self, proc: ProcId) -> BTreeSet<Slot> {
        let touched = self.touched[proc].iter().filter(|slot| self.result_of(**slot).is_none());
        self.params[proc].iter().chain(touched).copied().collect()
    }
}
