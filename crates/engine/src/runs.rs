//! Runs of the program, by the interpreter: what these alone can tell.
//!
//! A run that reaches the error is an execution like any other; the values that it gets are guessed, small ones and such as the
//! program mentions. That finds errors behind thousands of calls, where a formula of all paths has no chance.
//!
//! A program that chooses nothing has one run. What its procedures did in that run, for each of the values they were called with, is a proof by
//! procedures: a table. The checker takes it apart like any other, call by call; that there were so many calls costs nothing (`fib(25)` makes a
//! quarter of a million, with 26 different arguments). Loops are not told that way: a program with loops has no table.
//!
//! All this takes about a second at most, and answers mostly nothing.

use crate::run::{Control, Found, Observer, Progress, Search, Stats};
use crate::task::Task;
use clap::Args;
use craig_base::Budget;
use craig_cfa::interp::guess::{Guess, Mood, mentioned, seed_of};
use craig_cfa::interp::{Config, Here, Key, Overflow, Recording, Run, RunEnd, Runner, Value, Watch, Watcher};
use craig_cfa::{EdgeId, LocId, Op, ProcId, Program, Type, TypeId, VarId, arith, graph};
use craig_encode::Arith;
use craig_encode::state::sort;
use craig_logic::{Rat, Sort, TermId, Terms};
use craig_verdict::certificate::{Invariant, Procedures, Summary, Symbol};
use craig_verdict::{Certificate, Counterexample, Outcome, Passage, Pick, Proof, Reason};
use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// It has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct Options {}

/// The moods of runs, one after the other.
const MOODS: [Mood; 16] = [
    Mood::Always(0),
    Mood::Always(1),
    Mood::Always(-1),
    Mood::Small,
    Mood::Mentioned,
    Mood::Mentioned,
    Mood::Mixed,
    Mood::Small,
    Mood::Mentioned,
    Mood::Mixed,
    Mood::Mentioned,
    Mood::Small,
    Mood::Mixed,
    Mood::Mentioned,
    Mood::Least,
    Mood::Greatest,
];
/// Rounds of these, each with other values.
const ROUNDS: u64 = 4;
/// Steps of a run, and of the only one that a program has: about a second's.
const STEPS: u64 = 20_000;
const ONLY_STEPS: u64 = 20_000_000;
/// Steps that take as long as a unit of work.
const STEPS_PER_WORK: u64 = 4;
/// Choices of a run that are told.
const CHOICES: usize = 10_000;
/// Bytes that a run may hold.
const MEMORY: u64 = 1 << 26;
/// Rows of the table of a procedure. A question about a body has a case for each.
const ROWS: usize = 200;

struct Runs<'t> {
    task: &'t Task,
    arith: Arith,
    budget: Budget,
    runs: u64,
    steps: u64,
}

pub fn run(task: &Task, arith: Arith, _: &Options, control: &mut Control<'_>) -> Found {
    let budget = control.budget.clone();
    control.run(Runs { task, arith, budget, runs: 0, steps: 0 })
}

impl Search for Runs<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        let source = &*self.task.source;
        let runner = Runner::new(source);
        let (seed, mentioned) = (seed_of(source.source.text()), mentioned(source));
        for round in 0..ROUNDS {
            observer.progress(&Progress { phase: format!("round {}", round + 1), solver_calls: 0 });
            for (n, mood) in (0u64..).zip(MOODS) {
                let seed = seed.wrapping_add(round * MOODS.len() as u64 + n);
                let mut guess = Guess::new(mood, seed, mentioned.clone());
                let ran = self.once(&runner, &mut guess.clone(), STEPS, &mut Nobody)?;
                if ran.end == RunEnd::Error {
                    return self.told(&runner, &mut guess).map(Outcome::Unsafe);
                }
                let mut asking = guess.clone();
                if self.runs == 1 && !self.chooses(&runner, &mut asking, &ran)? {
                    return self.only_run(&runner, guess);
                }
            }
        }
        Err(no_more())
    }

    fn report(&self, stats: &mut Stats) {
        stats.set("runs", self.runs as f64);
        stats.set("steps", self.steps as f64);
    }
}

/// The work that is spent on this is done.
fn no_more() -> Reason {
    Reason::Stopped(craig_base::Stop::Work)
}

/// Nobody looks.
struct Nobody;

impl Watcher for Nobody {
    fn arrive(&mut self, _: &Here<'_, '_, '_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Runs<'_> {
    fn once(
        &mut self,
        runner: &Runner<'_>,
        chooser: &mut dyn craig_cfa::interp::Chooser,
        steps: u64,
        watcher: &mut dyn Watcher,
    ) -> Result<Run, Reason> {
        let source = &*self.task.source;
        let mut locs: IndexVec<LocId, bool> = index_vec![false; source.locs.len()];
        for proc in &source.procs {
            (locs[proc.entry], locs[proc.exit]) = (true, true);
        }
        let wrap = self.task.signed_wrap || self.arith == Arith::Bv;
        let overflow = if wrap { Overflow::Wrap } else { Overflow::Undefined };
        let budget = self.budget.clone();
        let config = Config { overflow, steps, memory: MEMORY, budget, ..Config::default() };
        let ran = runner.run(&config, chooser, Watch { calls: &source.calls, locs: &locs, watcher });
        self.runs += 1;
        self.steps += ran.steps;
        self.budget.spend(ran.steps / STEPS_PER_WORK);
        match ran.end {
            RunEnd::Stopped(stop) => Err(Reason::Stopped(stop)),
            _ => Ok(ran),
        }
    }

    /// Is anything chosen in the first steps?
    fn chooses(&mut self, runner: &Runner<'_>, guess: &mut Guess, ran: &Run) -> Result<bool, Reason> {
        self.once(runner, guess, ran.steps, &mut Nobody)?;
        Ok(guess.asked)
    }

    /// The run of a program that has no other, as far as is known.
    fn only_run(&mut self, runner: &Runner<'_>, mut guess: Guess) -> Found {
        let mut table = Tables::new(&self.task.source);
        let ran = self.once(runner, &mut guess, ONLY_STEPS, &mut table)?;
        match ran.end {
            RunEnd::Error => self.told(runner, &mut guess).map(Outcome::Unsafe),
            RunEnd::Ended { .. } if !guess.asked && self.arith == Arith::Int => {
                table.certificate(self.arith).map(Outcome::Safe).ok_or_else(no_more)
            }
            _ => Err(no_more()),
        }
    }

    /// The run once more, with what it chooses.
    fn told(&mut self, runner: &Runner<'_>, guess: &mut Guess) -> Result<Counterexample, Reason> {
        let mut recording = Recording::new(guess, CHOICES);
        let ran = self.once(runner, &mut recording, ONLY_STEPS, &mut Nobody)?;
        if ran.end != RunEnd::Error || recording.dropped > 0 || !recording.branches.is_empty() {
            return Err(no_more());
        }
        let mut picks: BTreeMap<(EdgeId, u64), Vec<Pick>> = BTreeMap::new();
        let mut last: BTreeMap<EdgeId, u64> = BTreeMap::new();
        for (key, _, value) in &recording.asked {
            if let Key::Value { edge, occurrence, offset, bit } = *key {
                picks.entry((edge, occurrence)).or_default().push(Pick { offset, bit, value: value.clone() });
                let last = last.entry(edge).or_default();
                *last = occurrence.max(*last);
            }
        }
        // Choices are counted edge by edge, those that were not asked for as well.
        let mut steps = Vec::new();
        for (edge, last) in last {
            for occurrence in 0..=last {
                let picks = picks.remove(&(edge, occurrence)).unwrap_or_default();
                steps.push(Passage { edge, picks });
            }
        }
        Ok(Counterexample { arith: self.arith, places: Vec::new(), steps })
    }
}

/// Numbers of variables at a moment.
type Values = Vec<i128>;

/// What the procedures of a run did.
struct Tables<'p> {
    source: &'p Program,
    /// Global variables that are numbers and change.
    globals: Vec<VarId>,
    /// Open activations: values when they were entered.
    open: Vec<Option<Values>>,
    /// For each procedure, by the values at its entry, those when it returned.
    rows: IndexVec<ProcId, BTreeMap<Values, Option<Values>>>,
    /// There is more than a table holds, or what has no number.
    beyond: bool,
}

impl<'p> Tables<'p> {
    fn new(source: &'p Program) -> Tables<'p> {
        let written: BTreeSet<VarId> = source
            .edges
            .iter()
            .flat_map(|edge| edge.op.parts().written)
            .filter_map(|place| source.exprs.root_var(place))
            .collect();
        let is_number =
            |var: &VarId| source.vars[*var].proc.is_none() && is_number(source, source.vars[*var].ty);
        let globals = written.into_iter().filter(is_number).collect();
        let rows = index_vec![BTreeMap::new(); source.procs.len()];
        let loops = graph::order(source, &source.graph()).loop_head.iter().any(|head| *head);
        Tables { source, globals, open: Vec::new(), rows, beyond: loops }
    }

    fn params(&self, proc: ProcId) -> impl Iterator<Item = VarId> {
        let source = self.source;
        source.procs[proc].params.iter().copied().filter(|var| is_number(source, source.vars[*var].ty))
    }

    fn values(&self, here: &Here<'_, '_, '_>, vars: impl Iterator<Item = VarId>) -> Option<Values> {
        let value = |var: VarId| {
            let ty = self.source.vars[var].ty;
            let len = self.source.types.size_of(ty).unwrap_or(0);
            number_of(self.source, ty, here.held(var, 0, len as usize)?)
        };
        vars.map(value).collect()
    }

    fn enter(&mut self, here: &Here<'_, '_, '_>, proc: ProcId) {
        let vars = self.params(proc).chain(self.globals.iter().copied());
        let values = self.values(here, vars);
        self.beyond |= values.is_none();
        self.open.truncate(here.depth() - 1);
        if let Some(values) = &values {
            self.rows[proc].entry(values.clone()).or_insert(None);
            self.beyond |= self.rows[proc].len() > ROWS;
        }
        self.open.push(values);
    }

    fn leave(&mut self, here: &Here<'_, '_, '_>, proc: ProcId) {
        let Some(entered) = self.open.get(here.depth() - 1).cloned().flatten() else { return };
        let mut values = self.values(here, self.globals.iter().copied());
        let ret = self.source.procs[proc].ret;
        if is_number(self.source, ret) {
            let result = here.result().and_then(|value| number_of(self.source, ret, value.clone()));
            values = values.zip(result).map(|(mut values, result)| {
                values.push(result);
                values
            });
        }
        self.beyond |= values.is_none();
        self.rows[proc].insert(entered, values);
    }

    /// What the run did, as a proof.
    fn certificate(&self, arith: Arith) -> Option<Certificate> {
        if self.beyond {
            return None;
        }
        let source = self.source;
        let terms = Terms::new();
        let mut proof = Procedures::default();
        let mut symbols: FxHashMap<String, TermId> = FxHashMap::default();
        let mut declare = |symbol: Option<Symbol>, ty: TypeId| {
            let symbol = symbol?;
            let name = symbol.symbol.clone();
            let term = *symbols.entry(name.clone()).or_insert_with(|| {
                proof.symbols.push(symbol);
                terms.symbol(&name, sort(source, &terms, arith, ty))
            });
            Some((term, ty))
        };
        let name = |var: VarId| format!("{}.{}", source.vars[var].name, var.index());
        let said = |what: &[(TermId, TypeId)], values: &[i128]| {
            terms.and(what.iter().zip(values).map(|((symbol, ty), value)| {
                if *source.types.get(*ty) == Type::Bool {
                    return if *value == 0 { terms.not(*symbol) } else { *symbol };
                }
                terms.eq(*symbol, terms.numeral(&Rat::from_ibig((*value).into()), Sort::Int))
            }))
        };
        let called = source.edges.iter().filter_map(|edge| match &edge.op {
            Op::Call(call) => Some(call.proc),
            _ => None,
        });
        for proc in called.collect::<BTreeSet<ProcId>>() {
            let vars: Vec<VarId> = self.params(proc).chain(self.globals.iter().copied()).collect();
            let entry = vars.iter().map(|var| {
                let old = format!("old {}", name(*var));
                declare(Symbol::entry(source, arith, &old, *var, 0), source.vars[*var].ty)
            });
            let entry = entry.collect::<Option<Vec<_>>>()?;
            let mut exit = Vec::new();
            for var in &self.globals {
                let symbol = Symbol::now(source, arith, &name(*var), *var, 0);
                exit.push(declare(symbol, source.vars[*var].ty)?);
            }
            let ret = source.procs[proc].ret;
            if is_number(source, ret) {
                let result = format!("result {}", ret.index());
                exit.push(declare(Symbol::result(source, arith, &result, ret, 0), ret)?);
            }
            let rows = &self.rows[proc];
            let needs = terms.or(rows.keys().map(|values| said(&entry, values)));
            let row = |(before, after): (&Values, &Option<Values>)| {
                let after = after.as_ref().map_or(terms.fls(), |after| said(&exit, after));
                terms.or([terms.not(said(&entry, before)), after])
            };
            let does = terms.and(rows.iter().map(row));
            let at = source.procs[proc].entry;
            let line = source.source.line(source.locs[at].span);
            proof.invariants.push(Invariant::new(at, &[], line, terms.smt(needs)));
            proof.summaries.push(Summary::new(source, proc, terms.smt(does)));
        }
        Some(Certificate::new(arith, Proof::Procedures(proof)))
    }
}

impl Watcher for Tables<'_> {
    fn arrive(&mut self, here: &Here<'_, '_, '_>) -> ControlFlow<()> {
        if self.beyond {
            return ControlFlow::Continue(());
        }
        let loc = here.loc();
        let proc = self.source.locs[loc].proc;
        if loc == self.source.procs[proc].entry {
            self.enter(here, proc);
        } else if loc == self.source.procs[proc].exit {
            self.leave(here, proc);
        }
        ControlFlow::Continue(())
    }
}

fn is_number(source: &Program, ty: TypeId) -> bool {
    matches!(source.types.get(ty), Type::Int(_) | Type::Bool | Type::MathInt)
}

fn number_of(source: &Program, ty: TypeId, value: Value) -> Option<i128> {
    match (source.types.as_word(ty), value) {
        (Some(word), Value::Bits(bits)) => Some(arith::to_i128(arith::truncate(bits, word), word)),
        (None, Value::Bits(bits)) => i128::try_from(bits).ok(),
        (None, Value::Int(number)) => i128::try_from(number).ok(),
        _ => None,
    }
}
