//! Runs of the program, by the interpreter: what these alone can tell.
//!
//! A run that reaches the error is an execution like any other; the values that it gets are guessed, small ones and such as the
//! program mentions. That finds errors behind thousands of calls, where a formula of all paths has no chance.
//!
//! A program that chooses nothing has one run. What its procedures did in that run, for each of the values they were called with, is a proof by
//! procedures: a table. The checker takes it apart like any other, call by call; that there were so many calls costs nothing (`fib(25)` makes a
//! quarter of a million, with 26 different arguments). Loops are not told that way: a program with loops has no table.
//!
//! A program that chooses has many. What some dozens of them have in common is guessed to be what its procedures do ([`contracts`]). What of that holds together is no proof in
//! most cases, but may be half of one: others ask for it ([`contracts_of`]).
//!
//! All this takes about a second at most, and answers mostly nothing.
//!
//! | module | holds |
//! |---|---|
//! | [`numbers`] | the values of procedures at their entries and returns, and their names in proofs |
//! | [`tables`] | the only run as a proof |
//! | [`contracts`] | many runs as guesses, and which of these are a proof |

mod contracts;
mod numbers;
mod tables;

use contracts::Samples;
use tables::Tables;

use crate::run::{Control, Found, Observer, Progress, Search, Silent, Stats};
use crate::task::Task;
use clap::Args;
use craig_base::Budget;
use craig_cfa::interp::guess::{Guess, Mood, mentioned, seed_of};
use craig_cfa::interp::{Config, Here, Key, Overflow, Recording, Run, RunEnd, Runner, Watch, Watcher};
use craig_cfa::{Edge, EdgeId, LocId, Op};
use craig_encode::Arith;
use craig_verdict::certificate::Procedures;
use craig_verdict::{Certificate, Counterexample, Outcome, Passage, Pick, Reason, check};
use index_vec::IndexVec;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};

/// It has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct Options {}

/// The moods of runs, one after the other.
const MOODS: [Mood; 18] = [
    Mood::Always(0),
    Mood::Always(1),
    Mood::Always(-1),
    Mood::Small,
    Mood::Medium,
    Mood::Mentioned,
    Mood::Mentioned,
    Mood::Medium,
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
/// Work for finding out what holds together, for which others wait: about two seconds at most.
const CONTRACTS: u64 = 14_000_000;
/// Bytes that a run may hold.
const MEMORY: u64 = 1 << 26;

struct Runs<'t> {
    task: &'t Task,
    arith: Arith,
    budget: Budget,
    /// Where somebody looks.
    places: IndexVec<LocId, bool>,
    runs: u64,
    steps: u64,
}

pub fn run(task: &Task, arith: Arith, _: &Options, control: &mut Control<'_>) -> Found {
    control.run(Runs::new(task, arith, control.budget.clone()))
}

impl Search for Runs<'_> {
    fn check(&mut self, observer: &mut dyn Observer) -> Found {
        let source = &*self.task.source;
        let runner = Runner::new(source);
        let mentioned = mentioned(source);
        let mut samples = Samples::new(source);
        match self.gather(&runner, &mentioned, &mut samples, observer)? {
            Gathered::Error(mut guess) => self.told(&runner, &mut guess).map(Outcome::Unsafe),
            Gathered::Only(guess) => self.only_run(&runner, guess, &samples, &mentioned),
            Gathered::Many => self.guessed(&samples, &mentioned)?.map(Outcome::Safe).ok_or_else(no_more),
        }
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

/// What the runs came to.
enum Gathered {
    /// One that guesses so reaches the error.
    Error(Guess),
    /// There is only one.
    Only(Guess),
    Many,
}

/// What holds together of what runs show of procedures: contracts and invariants. Asked once of a task, out of turn; nothing if it takes too long or procedures are not for proofs one by one.
pub(crate) fn contracts_of(task: &Task, budget: &Budget) -> Result<Arc<Procedures>, Reason> {
    let mut runs = Runs::new(task, Arith::Int, budget.clone());
    let source = &*task.source;
    let mut samples = Samples::new(source);
    let mentioned = mentioned(source);
    let found = runs
        .gather(&Runner::new(source), &mentioned, &mut samples, &mut Silent)
        .and_then(|_| runs.kept(&samples, &mentioned));
    budget.check()?;
    Ok(found.unwrap_or_default())
}

/// Nobody looks.
struct Nobody;

impl Watcher for Nobody {
    fn arrive(&mut self, _: &Here<'_, '_, '_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Runs<'_> {
    fn new(task: &Task, arith: Arith, budget: Budget) -> Runs<'_> {
        let places = Samples::new(&task.source).places();
        Runs { task, arith, budget, places, runs: 0, steps: 0 }
    }

    /// Some dozens of runs, of which samples are taken.
    fn gather(
        &mut self,
        runner: &Runner<'_>,
        mentioned: &Arc<[i128]>,
        samples: &mut Samples<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Gathered, Reason> {
        let seed = seed_of(self.task.source.source.text());
        for round in 0..ROUNDS {
            observer.progress(&Progress { phase: format!("round {}", round + 1), solver_calls: 0 });
            for (n, mood) in (0u64..).zip(MOODS) {
                let seed = seed.wrapping_add(round * MOODS.len() as u64 + n);
                let guess = Guess::new(mood, seed, Arc::clone(mentioned));
                let ran = self.once(runner, &mut guess.clone(), STEPS, samples)?;
                if ran.end == RunEnd::Error {
                    return Ok(Gathered::Error(guess));
                }
                let mut asking = guess.clone();
                if self.runs == 1 && !self.chooses(runner, &mut asking, &ran)? {
                    return Ok(Gathered::Only(guess));
                }
            }
        }
        Ok(Gathered::Many)
    }

    fn once(
        &mut self,
        runner: &Runner<'_>,
        chooser: &mut dyn craig_cfa::interp::Chooser,
        steps: u64,
        watcher: &mut dyn Watcher,
    ) -> Result<Run, Reason> {
        let source = &*self.task.source;
        let wrap = self.task.signed_wrap || self.arith == Arith::Bv;
        let overflow = if wrap { Overflow::Wrap } else { Overflow::Undefined };
        let budget = self.budget.clone();
        let config = Config { overflow, steps, memory: MEMORY, budget, ..Config::default() };
        let ran = runner.run(&config, chooser, Watch { calls: &source.calls, locs: &self.places, watcher });
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

    /// What runs have in common as a proof.
    fn guessed(&self, samples: &Samples<'_>, mentioned: &[i128]) -> Result<Option<Certificate>, Reason> {
        match self.arith {
            Arith::Int => {
                // A proof says as little as it can. Others would find one with more words meanwhile.
                let _at_once = self.budget.out_of_turn();
                let kept = match self.kept(samples, mentioned) {
                    // Not for procedures as they are.
                    Err(Reason::Unsupported { .. }) => return Ok(None),
                    kept => kept?,
                };
                samples.proof(&kept, self.arith, self.task.signed_wrap, &self.budget)
            }
            Arith::Bv => Ok(None),
        }
    }

    /// What holds together of what runs have in common. It is asked once of a task, out of turn: who waits for the others' turn here keeps them waiting for the lock.
    fn kept(&self, samples: &Samples<'_>, mentioned: &[i128]) -> Result<Arc<Procedures>, Reason> {
        let mut known = self.task.contracts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return Ok(Arc::clone(known));
        }
        let part = self.budget.with_work(CONTRACTS);
        let kept = match samples.kept(mentioned, Arith::Int, self.task.signed_wrap, &part) {
            Err(Reason::Stopped(craig_base::Stop::Work)) => {
                self.budget.check()?;
                Arc::default()
            }
            kept => Arc::new(kept?),
        };
        *known = Some(Arc::clone(&kept));
        Ok(kept)
    }

    /// A table, unless it is none of a proof: it does not tell of memory behind pointers, which a procedure may have looked at.
    fn holding(&self, table: Certificate) -> Option<Certificate> {
        let source = &*self.task.source;
        let allocates = |edge: &Edge| matches!(edge.op, Op::Alloc { .. } | Op::Realloc { .. });
        let memory = source.vars.iter().any(|var| var.address_taken) || source.edges.iter().any(allocates);
        let holds = || check(source, &table, self.task.signed_wrap, &self.budget).is_ok();
        (!memory || holds()).then_some(table)
    }

    /// The run of a program that has no other, as far as is known. `samples` are from its beginning.
    fn only_run(
        &mut self,
        runner: &Runner<'_>,
        mut guess: Guess,
        samples: &Samples<'_>,
        mentioned: &[i128],
    ) -> Found {
        let mut table = Tables::new(&self.task.source);
        let ran = self.once(runner, &mut guess, ONLY_STEPS, &mut table)?;
        match ran.end {
            RunEnd::Error => self.told(runner, &mut guess).map(Outcome::Unsafe),
            RunEnd::Ended { .. } if !guess.asked && self.arith == Arith::Int => {
                // What holds of all values says more than a table.
                let proof = self
                    .guessed(samples, mentioned)?
                    .or_else(|| self.holding(table.certificate(self.arith)?));
                proof.map(Outcome::Safe).ok_or_else(no_more)
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
                steps.push(Passage::choosing(edge, picks));
            }
        }
        Ok(Counterexample { arith: self.arith, places: Vec::new(), steps })
    }
}
