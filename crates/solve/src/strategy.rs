//! Which engines run, in which arithmetic, and how their answers become one.
//!
//! Remopla programs go to the engine for pushdown systems. For all others `auto` lets bounded model checking and predicate abstraction take turns: the one finds shallow errors and proves what ends soon, the other
//! finds invariants. Machine integers are mathematical integers at first. Where a path of these does not replay, or the solver has no answer,
//! bit-vectors take over; where a proof in these assumes that nothing overflows, bit-vectors may try to do without the assumption. They
//! may only remove it, never turn SAFE into UNSAFE: a run that overflows has no meaning in C.
//!
//! A certificate may be refused because dead code, which passes cut away, says more of pointers than the engine knew. It is then looked for
//! once more in the whole program.
//!
//! A path through what is not modelled ends the search for a proof. Executions are looked for a little longer, in the program without it.
//!
//! Recursion is unfolded ([`crate::depth`]): an engine that meets a call which its task does not follow goes on with a deeper one.
//!
//! A run that contradicts one proof of a program casts doubt on all of them: after it there may be an UNSAFE, but no SAFE.

use crate::answer::{Answer, Attempt};
use crate::depth::{Depths, Stage};
use crate::turns::take_turns;
use clap::ValueEnum;
use craig_base::{Budget, Stop, Timer};
use craig_cfa::pass::PrepareOptions;
use craig_cfa::{Lang, Program, graph};
use craig_encode::Arith;
use craig_engine::{Control, Engine, Observer, Selection, Task};
use craig_frontend::Reading;
use craig_verdict::gate::Runs;
use craig_verdict::{Outcome, Reason, Verdict, judge, judge_in_flat_memory};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The engines of `auto`, by name, in the order of their turns: for programs without loops, which unrolling decides at once, and for others.
const WITHOUT_LOOPS: [&str; 2] = ["bmc", "predicate"];
const WITH_LOOPS: [&str; 3] = ["predicate", "bmc", "ic3"];
/// Recursion: what runs tell, executions and shallow proofs by unfolding, proofs for every depth by summaries.
const RECURSIVE: [&str; 4] = ["runs", "bmc", "spacer", "predicate"];
/// Remopla has few bits and much recursion: its own engine.
const PUSHDOWN: [&str; 1] = ["pushdown"];

/// How machine integers are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Arithmetic {
    /// As mathematical integers; as bit-vectors where that does not settle it
    #[default]
    Auto,
    /// As mathematical integers: signed operations are taken not to overflow, all else wraps around exactly
    Int,
    /// As bit-vectors: everything wraps around
    Bv,
}

/// How the proof behind SAFE is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Checking {
    /// With memory divided as the engines divide it
    #[default]
    Cells,
    /// Then once more in flat memory: one array of bytes, nothing known of where pointers point. A proof that fails there is UNKNOWN
    Flat,
}

/// What the user wants.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    pub selection: Selection,
    pub arithmetic: Arithmetic,
    pub prepare: PrepareOptions,
    pub checking: Checking,
}

impl Plan {
    /// The engines that run, in the order of their turns, and how many of them get the most.
    fn engines(&self, depths: &Depths) -> (Vec<Engine>, usize) {
        if let Some(engine) = &self.selection.only {
            return (vec![engine.clone()], 1);
        }
        let stage = depths.plain();
        let program = stage.task.program();
        let (names, main) = match program.lang {
            Lang::Remopla => (&PUSHDOWN[..], 1),
            _ if stage.task.is_recursive() => (&RECURSIVE[..], 3),
            _ if graph::size(program).loops == 0 => (&WITHOUT_LOOPS[..], 1),
            _ => (&WITH_LOOPS[..], 1),
        };
        (names.iter().filter_map(|name| self.selection.engine(name).cloned()).collect(), main)
    }
}

/// What one engine came to: a verdict, and its attempts, of which the last has it.
struct Found {
    verdict: Verdict,
    attempts: Vec<Attempt>,
    /// What it worked on last.
    stage: Arc<Stage>,
}

impl Found {
    /// Another try, which may have a verdict that counts. The decisive attempt stays the last.
    fn try_again(&mut self, other: Found, counts: impl Fn(&Verdict) -> bool) {
        let attempts = other.attempts.into_iter();
        if !matches!(other.verdict, Verdict::Unknown(_)) && counts(&other.verdict) {
            self.verdict = other.verdict;
            self.attempts.extend(attempts);
        } else {
            self.attempts.splice(0..0, attempts);
        }
    }
}

/// Decides whether the error of a program can be reached. `reading` has the property that was taken when it was loaded.
pub fn solve(
    source: Arc<Program>,
    reading: Reading,
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Answer {
    solve_aloud(source, reading, plan, budget, observer, &mut |_| ())
}

/// As [`solve`]. An answer that is judged goes to `judged` before anything else is waited for or tried: to be told if the rest
/// does not end in time.
pub fn solve_aloud(
    source: Arc<Program>,
    reading: Reading,
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
    judged: &mut dyn FnMut(Answer),
) -> Answer {
    let before = budget.spent();
    let prepare =
        plan.selection.only.as_ref().map_or(plan.prepare.clone(), |only| only.passes(&plan.prepare));
    let depths = match Depths::new(Arc::clone(&source), reading.signed_wrap, &prepare, budget) {
        Ok(depths) => depths,
        Err(reason) => return Answer::without_attempt(source, reading, reason),
    };
    let (engines, main) = plan.engines(&depths);
    let pursue = |engine: &Engine, budget: &Budget, observer: &mut dyn Observer| {
        go_deeper(&depths, engine, plan, budget, observer)
    };
    let answer = |verdict: Verdict, attempts: Vec<Attempt>, decisive: usize, task: &Task| Answer {
        source: Arc::clone(&source),
        reading: reading.clone(),
        verdict,
        attempts,
        decisive: Some(decisive),
        second_opinion: None,
        externs: task.externs(),
        vacuous: task.is_vacuous(),
    };
    let mut contradicted = false;
    let mut found: Vec<Found> = match &engines[..] {
        [only] => vec![pursue(only, budget, observer)],
        several => {
            let works = several.iter().map(|engine| {
                move |budget: &Budget, observer: &mut dyn Observer| pursue(engine, budget, observer)
            });
            take_turns(works.collect(), main, budget, observer, |found: &Found| {
                contradicted |= contradiction(&found.attempts).is_some();
                let decided = match found.verdict {
                    Verdict::Safe(..) => !contradicted,
                    Verdict::Unsafe(..) => true,
                    Verdict::Unknown(_) => false,
                };
                if decided {
                    let (attempts, task) = (found.attempts.clone(), &found.stage.task);
                    let decisive = attempts.len() - 1;
                    judged(answer(found.verdict.clone(), attempts, decisive, task));
                }
                decided
            })
        }
    };
    let best = nearest(&found);
    let decisive = found[..=best].iter().map(|f| f.attempts.len()).sum::<usize>() - 1;
    let none = Verdict::Unknown(Reason::Stopped(Stop::Cancelled));
    let verdict = std::mem::replace(&mut found[best].verdict, none);
    let stage = Arc::clone(&found[best].stage);
    let task = &stage.task;
    let attempts = found.into_iter().flat_map(|f| f.attempts).collect();
    let mut answer = answer(verdict, attempts, decisive, task);
    if !answer.may_overflow().is_empty() && may_change(plan, &task.source) {
        judged(answer.clone());
        let work = second_opinion(budget.spent() - before);
        let timer = Timer::start();
        let (verdict, mut attempt) =
            attempt(task, &engines[best], Arith::Bv, plan.checking, &budget.with_work(work), observer);
        attempt.second_opinion = true;
        answer.second_opinion = Some(timer.elapsed());
        answer.attempts.push(attempt);
        if let Verdict::Safe(..) = verdict {
            answer.verdict = verdict;
            answer.decisive = Some(answer.attempts.len() - 1);
        }
    }
    if let (Verdict::Safe(..), Some(at)) = (&answer.verdict, contradiction(&answer.attempts)) {
        answer.verdict = answer.attempts[at].reason.clone().map_or(answer.verdict, Verdict::Unknown);
        answer.decisive = Some(at);
    }
    answer
}

/// The first attempt whose proof a run contradicts.
fn contradiction(attempts: &[Attempt]) -> Option<usize> {
    attempts.iter().position(|attempt| matches!(attempt.reason, Some(Reason::Contradiction(_))))
}

/// The one with a verdict; otherwise one that a run contradicts, otherwise the last that ended by itself, otherwise the last.
fn nearest(found: &[Found]) -> usize {
    let rank = |found: &Found| match &found.verdict {
        Verdict::Unknown(Reason::Stopped(Stop::Cancelled)) => 0,
        Verdict::Unknown(Reason::Stopped(_)) => 1,
        Verdict::Unknown(Reason::Contradiction(_)) => 3,
        Verdict::Unknown(_) => 2,
        _ => 4,
    };
    (0..found.len()).max_by_key(|i| rank(&found[*i])).unwrap_or(0)
}

/// Work that bit-vectors may do when integers gave a proof that assumes no overflow: about half as long again as it took so far; at
/// least half a second's, at most ten seconds'. A unit takes about eight times as long on bit-vectors as on integers.
fn second_opinion(first: u64) -> u64 {
    (first / 16).clamp(400_000, 8_000_000)
}

/// Work for the search for an execution when a path through what is not modelled was found: twice as much as before; at least a second's, at most
/// ten seconds'.
fn hunt(first: u64) -> u64 {
    (2 * first).clamp(7_000_000, 70_000_000)
}

/// May the arithmetic change?
fn may_change(plan: &Plan, source: &Program) -> bool {
    plan.arithmetic == Arithmetic::Auto && source.lang != Lang::Boogie
}

/// One engine, on deeper and deeper tasks as long as it meets calls that these do not follow.
fn go_deeper(
    depths: &Depths,
    engine: &Engine,
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Found {
    let mut stage = if engine.takes_procedures() { Arc::clone(depths.plain()) } else { depths.first() };
    let mut before: Vec<Attempt> = Vec::new();
    for number in 0.. {
        let mut found = pursue_stage(&stage, engine, plan, budget, observer);
        found.attempts.splice(0..0, std::mem::take(&mut before));
        let next = match &found.verdict {
            Verdict::Unknown(Reason::Recursion { deeper, .. }) if !deeper.is_empty() => {
                depths.deeper(number, deeper, budget)
            }
            _ => return found,
        };
        match next {
            Ok(Some(next)) => stage = next,
            Ok(None) => return found,
            Err(reason) => {
                found.verdict = Verdict::Unknown(reason);
                return found;
            }
        }
        before = found.attempts;
    }
    unreachable!("stages are counted without end")
}

/// One engine on one stage: on its task, and where that is refused or not modelled, on what the task leaves out or without it.
fn pursue_stage(
    stage: &Arc<Stage>,
    engine: &Engine,
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Found {
    let start = budget.spent();
    let mut found = pursue(stage, &stage.task, engine, plan, budget, observer);
    match found.verdict {
        Verdict::Unknown(Reason::Certificate(_)) => {
            if let Some(task) = stage.whole(budget) {
                found.try_again(pursue(stage, task, engine, plan, budget, observer), |_| true);
            }
        }
        Verdict::Unknown(Reason::Unsupported { .. }) => {
            let budget = budget.with_work(hunt(budget.spent() - start));
            if let Some(task) = stage.modelled(&budget) {
                // Of what was found in the program without what is not modelled, executions count.
                let is_execution = |verdict: &Verdict| matches!(verdict, Verdict::Unsafe(..));
                found.try_again(pursue(stage, task, engine, plan, &budget, observer), is_execution);
            }
        }
        _ => {}
    }
    found
}

/// One engine, in integers and then, if need be, in bit-vectors.
fn pursue(
    stage: &Arc<Stage>,
    task: &Task,
    engine: &Engine,
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Found {
    let arith = if plan.arithmetic == Arithmetic::Bv { Arith::Bv } else { Arith::Int };
    let (mut verdict, first) = attempt(task, engine, arith, plan.checking, budget, observer);
    let mut attempts = vec![first];
    if may_change(plan, &task.source) && is_inexact(&verdict) {
        let (second, attempt) = attempt(task, engine, Arith::Bv, plan.checking, budget, observer);
        let contradicted = matches!(verdict, Verdict::Unknown(Reason::Contradiction(_)));
        let better = match second {
            Verdict::Unsafe(..) => true,
            Verdict::Safe(..) => !contradicted,
            Verdict::Unknown(Reason::Stopped(_)) => false,
            Verdict::Unknown(_) => !contradicted,
        };
        if !better {
            attempts.insert(0, attempt);
        } else {
            verdict = second;
            attempts.push(attempt);
        }
    }
    Found { verdict, attempts, stage: Arc::clone(stage) }
}

/// Might exact arithmetic do better? What ran out of nodes or assignments would again.
fn is_inexact(verdict: &Verdict) -> bool {
    use Reason::{Certificate, Contradiction, FlatMemory, NotReplayed, Solver, UnknownMemory};
    let Verdict::Unknown(reason) = verdict else { return false };
    matches!(
        reason,
        NotReplayed(..) | Solver(_) | Certificate(_) | UnknownMemory | Contradiction(_) | FlatMemory { .. }
    )
}

/// One engine in one arithmetic, and the judgement on what it says.
fn attempt(
    task: &Task,
    engine: &Engine,
    arith: Arith,
    checking: Checking,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (Verdict, Attempt) {
    let mut control = Control::new(budget, observer);
    let size = graph::size(task.program());
    control.stats.set("locations", size.locs as f64);
    control.stats.set("edges", size.edges as f64);
    control.stats.set("loops", size.loops as f64);
    let timer = Timer::start();
    let outcome = engine.run(task, arith, &mut control);
    let mut stats = control.stats;
    stats.time("engine_s", timer.elapsed());
    let judged = match outcome {
        Outcome::Safe(_) => Some("check_s"),
        Outcome::Unsafe(_) => Some("replay_s"),
        Outcome::Unknown(_) => None,
    };
    let _at_once = budget.out_of_turn();
    let timer = Timer::start();
    let mut verdict = judge(&task.source, outcome, task.signed_wrap, budget);
    let gate = match &verdict {
        Verdict::Safe(_, checked) => checked.gate,
        _ => Duration::ZERO,
    };
    if let Some(name) = judged {
        stats.time(name, timer.elapsed().saturating_sub(gate));
    }
    if let Verdict::Safe(_, checked) = &verdict {
        let Runs { runs, steps, evaluated, skipped, accesses } = checked.runs;
        stats.time("gate_s", gate);
        stats.set("gate_runs", runs as f64);
        stats.set("gate_steps", steps as f64);
        stats.set("gate_formulas", evaluated as f64);
        stats.set("gate_skipped", skipped as f64);
        stats.set("gate_accesses", accesses as f64);
    }
    if checking == Checking::Flat {
        let timer = Timer::start();
        verdict = judge_in_flat_memory(&task.source, verdict, task.signed_wrap, budget);
        stats.time("flat_s", timer.elapsed());
    }
    let reason = match &verdict {
        Verdict::Unknown(reason) => Some(reason.clone()),
        _ => None,
    };
    (verdict, Attempt { engine: engine.name(), arith, stats, reason, second_opinion: false })
}

impl Answer {
    fn without_attempt(source: Arc<Program>, reading: Reading, reason: Reason) -> Answer {
        Answer {
            source,
            reading,
            verdict: Verdict::Unknown(reason),
            attempts: Vec::new(),
            decisive: None,
            second_opinion: None,
            externs: BTreeSet::new(),
            vacuous: false,
        }
    }
}
