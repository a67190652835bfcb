//! Runs of the program, by the interpreter: what these alone can tell.
//!
//! A run that reaches the error is an execution like any other; the values that it gets are guessed, small ones and such as the
//! program mentions. That finds errors behind thousands of calls, where a formula of all paths has no chance.
//!
//! A program that chooses nothing has one run. What its procedures did in that run, for each of the values they were called with, is a proof by
//! procedures: a table. The checker takes it apart like any other, call by call; that there were so many calls costs nothing (`fib(25)` makes a
//! quarter of a million, with 26 different arguments). Loops are not told that way: a program with loops has no table.
//!
//! A program that chooses has many. What some dozens of them have in common is guessed to be what its procedures do ([`contracts`]).
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

use crate::run::{Control, Found, Observer, Progress, Search, Stats};
use crate::task::Task;
use clap::Args;
use craig_base::Budget;
use craig_cfa::interp::guess::{Guess, Mood, mentioned, seed_of};
use craig_cfa::interp::{Config, Here, Key, Overflow, Recording, Run, RunEnd, Runner, Watch, Watcher};
use craig_cfa::{EdgeId, LocId};
use craig_encode::Arith;
use craig_verdict::{Certificate, Counterexample, Outcome, Passage, Pick, Reason};
use index_vec::{IndexVec, index_vec};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

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
/// Bytes that a run may hold.
const MEMORY: u64 = 1 << 26;

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
        let mut samples = Samples::new(source);
        for round in 0..ROUNDS {
            observer.progress(&Progress { phase: format!("round {}", round + 1), solver_calls: 0 });
            for (n, mood) in (0u64..).zip(MOODS) {
                let seed = seed.wrapping_add(round * MOODS.len() as u64 + n);
                let mut guess = Guess::new(mood, seed, mentioned.clone());
                let ran = self.once(&runner, &mut guess.clone(), STEPS, &mut samples)?;
                if ran.end == RunEnd::Error {
                    return self.told(&runner, &mut guess).map(Outcome::Unsafe);
                }
                let mut asking = guess.clone();
                if self.runs == 1 && !self.chooses(&runner, &mut asking, &ran)? {
                    return self.only_run(&runner, guess, &samples, &mentioned);
                }
            }
        }
        self.guessed(&samples, &mentioned)?.map(Outcome::Safe).ok_or_else(no_more)
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

    /// What runs have in common as a proof.
    fn guessed(&self, samples: &Samples<'_>, mentioned: &[i128]) -> Result<Option<Certificate>, Reason> {
        match self.arith {
            Arith::Int => samples.proof(mentioned, self.arith, self.task.signed_wrap, &self.budget),
            Arith::Bv => Ok(None),
        }
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
                let proof = self.guessed(samples, mentioned)?.or_else(|| table.certificate(self.arith));
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
