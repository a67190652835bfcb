//! Recursive programs as Horn clauses: procedures as relations (`SPACER`).
//!
//! The program has its procedures side by side ([`crate::procedures`]). There are two kinds of relations:
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
use crate::procedures::certificate::Formulas;
use crate::procedures::{Divided, Slot};
use crate::run::{Found, Observer, Search, Stats};
use crate::slots::flat;
use crate::task::Task;
use craig_base::Budget;
use craig_cfa::{LocId, ProcId};
use craig_encode::memory::AddressMap;
use craig_encode::{Arith, Encoder, Layout, Options};
use craig_logic::{TermId, Terms};
use craig_smt::Smt;
use craig_smt::horn::{self, Clauses, Rule, Solved, Unsolved};
use craig_verdict::segment::{Point, Segment};
use craig_verdict::separate::Separated;
use craig_verdict::{Outcome, Reason, check};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
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
        let separated = Separated::new(source, &self.budget)?;
        let layout = Layout::new(&separated.program, &separated.seen, &AddressMap::new(), &self.budget)?;
        let terms = Rc::new(Terms::new());
        let smt =
            Smt::new(Rc::clone(&terms), self.budget.clone()).map_err(|e| Reason::Internal(e.to_string()))?;
        let options = Options { arith: self.arith, signed_wrap: self.task.signed_wrap };
        let encoder = Encoder::new(&separated.program, &layout, Rc::clone(&terms), options);
        let divided = Divided::new(source, &separated, &encoder, &self.budget)?;
        let horn = Horn { divided: &divided };
        let (clauses, names) = horn.clauses();
        (self.relations, self.rules) = (clauses.relations.len(), clauses.rules.len());
        let solved = horn::solve(&smt, &clauses, self.guidance);
        let found = match solved {
            Ok(Solved::Empty(formulas)) => {
                let known = Known { divided: &divided, relations: names.into_iter().zip(formulas).collect() };
                let signed_wrap = self.task.signed_wrap;
                let accepts = |found: &_| check(source, found, signed_wrap, &self.budget).is_ok();
                let certificate = divided.certificate(&smt, &known, &accepts);
                let certificate = certificate.map(Outcome::Safe);
                certificate.ok_or_else(|| gave_up("a contract that a proof has no words for"))
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

/// A program as clauses.
struct Horn<'d, 'a> {
    divided: &'d Divided<'a>,
}

/// Formulas for the relations. To what has none no run comes.
struct Known<'d, 'a> {
    divided: &'d Divided<'a>,
    relations: FxHashMap<Name, TermId>,
}

impl Known<'_, '_> {
    fn formula(&self, name: Name) -> TermId {
        self.relations.get(&name).copied().unwrap_or(self.divided.encoder.terms.fls())
    }
}

impl Formulas for Known<'_, '_> {
    fn needs(&self, proc: ProcId) -> TermId {
        match self.divided.on_path[proc] {
            true => self.formula(Name::Path(self.divided.source.procs[proc].entry)),
            false => self.divided.encoder.terms.tru(),
        }
    }

    fn does(&self, proc: ProcId) -> TermId {
        self.formula(Name::Summary(proc))
    }

    fn holds(&self, at: LocId) -> TermId {
        let Divided { owner, on_path, called, encoder, .. } = self.divided;
        let is = |of: &IndexVec<ProcId, bool>| owner[at].is_some_and(|proc| of[proc]);
        let path = is(on_path).then(|| self.formula(Name::Path(at)));
        let inside = is(called).then(|| self.formula(Name::Inside(at)));
        encoder.terms.and(path.into_iter().chain(inside))
    }
}

impl Horn<'_, '_> {
    /// The slots of a state that a path relation in a procedure has.
    fn path_slots(&self, proc: ProcId) -> BTreeSet<Slot> {
        let mut slots = self.divided.frame[proc].clone();
        let others = self.divided.on_path.iter_enumerated().filter(|(_, on)| **on).map(|(other, _)| other);
        for other in others {
            slots.extend(&self.divided.touched[other]);
        }
        slots
    }

    /// Values at the entry, then those of now.
    fn arguments(&self, name: Name, entry: &[TermId], now: &[TermId]) -> Vec<TermId> {
        let pick = |slots: &BTreeSet<Slot>, of: &[TermId]| slots.iter().map(|s| of[*s]).collect::<Vec<_>>();
        match name {
            Name::Error => Vec::new(),
            Name::Path(loc) => {
                self.divided.owner[loc].map_or(Vec::new(), |proc| pick(&self.path_slots(proc), now))
            }
            Name::Inside(loc) => self.divided.owner[loc].map_or(Vec::new(), |proc| {
                let mut arguments = pick(&self.divided.entry_slots(proc), entry);
                let slots = self.divided.frame[proc].union(&self.divided.changed[proc]).copied().collect();
                arguments.extend(pick(&slots, now));
                arguments
            }),
            Name::Summary(proc) => {
                let mut arguments = pick(&self.divided.entry_slots(proc), entry);
                arguments.extend(pick(&self.divided.changed[proc], now));
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
        for (loc, segment) in &self.divided.segments {
            let proc = self.divided.owner[*loc];
            let from_start = *loc == self.divided.start;
            if from_start || proc.is_some_and(|proc| self.divided.on_path[proc]) {
                let from = if from_start { Vec::new() } else { vec![Name::Path(*loc)] };
                self.steps(
                    *loc,
                    segment,
                    &from,
                    &self.divided.now,
                    &mut |end| match self.divided.entered(end.loc) {
                        Some(callee) => (self.divided.on_path[callee]).then_some(Name::Path(end.loc)),
                        None if end.loc == self.divided.source.error => Some(Name::Error),
                        None => self.divided.exit_of(end.loc).is_none().then_some(Name::Path(end.loc)),
                    },
                    &mut |from, formula, to| rules.push(self.rule(from, formula, to, &mut number)),
                );
            }
            if let Some(proc) = proc.filter(|proc| self.divided.called[*proc]) {
                let at_entry = *loc == self.divided.source.procs[proc].entry;
                let (from, entry) = match at_entry {
                    true => (Vec::new(), &self.divided.now),
                    false => (vec![Name::Inside(*loc)], &self.divided.entry),
                };
                self.steps(
                    *loc,
                    segment,
                    &from,
                    entry,
                    &mut |end| match self.divided.exit_of(end.loc) {
                        Some(proc) => Some(Name::Summary(proc)),
                        None if end.loc == self.divided.source.error
                            || self.divided.entered(end.loc).is_some() =>
                        {
                            None
                        }
                        None => Some(Name::Inside(end.loc)),
                    },
                    &mut |from, formula, to| rules.push(self.rule(from, formula, to, &mut number)),
                );
            }
        }
        let relations =
            names.iter().map(|name| self.arguments(*name, &self.divided.entry, &self.divided.now)).collect();
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
        let terms = &self.divided.encoder.terms;
        let premises: Vec<Fact> =
            from.iter().map(|name| (*name, self.arguments(*name, entry, &self.divided.now))).collect();
        // Values of machine integers lie in their types.
        let known = |arguments: &[TermId]| {
            let of = |symbols: &[TermId], ranges: &[Option<TermId>]| {
                let within = symbols.iter().zip(ranges).filter(|(s, _)| arguments.contains(s));
                within.filter_map(|(_, range)| *range).collect::<Vec<_>>()
            };
            let mut all = of(&self.divided.now, &self.divided.ranges);
            all.extend(of(&self.divided.entry, &self.divided.entry_ranges));
            all
        };
        let mut formula: Vec<TermId> = premises.iter().flat_map(|(_, arguments)| known(arguments)).collect();
        if from.is_empty() {
            formula.extend(self.divided.ranges.iter().flatten());
        }
        formula.extend(&segment.part.constraints);
        let call = self.divided.calls.iter().find(|call| call.handed == loc);
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
        let callee = &self.divided.source.procs[call.callee];
        let Some(into) = segment.ends.iter().find(|end| end.loc == callee.entry) else { return };
        // What the callee changes is whatever its summary says.
        let mut after = self.divided.now.clone();
        let mut body = formula;
        body.push(into.guard);
        for &slot in &self.divided.changed[call.callee] {
            after[slot] = terms.fresh("after", terms.sort(self.divided.now[slot]));
            if let Some(range) = self.divided.ranges[slot] {
                body.push(
                    terms.substitute(range, &[(self.divided.now[slot], after[slot])].into_iter().collect()),
                );
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
}
