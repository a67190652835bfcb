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
//! A path that meets undefined behaviour before the error is neither an execution nor the end of the search. The operation is taken to be defined from then on
//! ([`craig_cfa::pass::guard`]), the certificate lists it, and the engine begins again.
//!
//! A path through what is not modelled ends the search for a proof. Executions are looked for a little longer, in the program without it.
//!
//! A run that contradicts one proof of a program casts doubt on all of them: after it there may be an UNSAFE, but no SAFE.

use crate::answer::{Answer, Attempt};
use crate::turns::take_turns;
use clap::ValueEnum;
use craig_base::{Budget, Stop, Timer};
use craig_cfa::pass::{Guard, PrepareOptions};
use craig_cfa::{Lang, Program, graph};
use craig_encode::Arith;
use craig_engine::{Control, Engine, Observer, Selection, Task};
use craig_frontend::Reading;
use craig_verdict::gate::Runs;
use craig_verdict::{NoProgress, Outcome, Reason, Verdict, judge, judge_in_flat_memory};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The engines of `auto`, by name, in the order of their turns: for programs without loops, which unrolling decides at once, and for others.
const WITHOUT_LOOPS: [&str; 2] = ["bmc", "predicate"];
const WITH_LOOPS: [&str; 3] = ["predicate", "bmc", "ic3"];
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
    /// A proof that assumes anything is UNKNOWN.
    pub strict: bool,
}

impl Plan {
    /// The engines that run, in the order of their turns.
    fn engines(&self, program: &Program) -> Vec<Engine> {
        if let Some(engine) = &self.selection.only {
            return vec![engine.clone()];
        }
        let names = match program.lang {
            Lang::Remopla => &PUSHDOWN[..],
            _ if graph::size(program).loops == 0 => &WITHOUT_LOOPS[..],
            _ => &WITH_LOOPS,
        };
        names.iter().filter_map(|name| self.selection.engine(name).cloned()).collect()
    }
}

/// What one engine came to: a verdict, and its attempts, of which the last has it.
struct Found {
    verdict: Verdict,
    attempts: Vec<Attempt>,
    /// The task of the last one, if operations are taken to be defined in it.
    guarded: Option<Arc<Task>>,
}

impl Found {
    /// Another try, which may have a verdict that counts. The decisive attempt stays the last.
    fn try_again(&mut self, other: Found, counts: impl Fn(&Verdict) -> bool) {
        let attempts = other.attempts.into_iter();
        if !matches!(other.verdict, Verdict::Unknown(_)) && counts(&other.verdict) {
            self.verdict = other.verdict;
            self.guarded = other.guarded;
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
    let task = match Task::new(Arc::clone(&source), reading.signed_wrap, &prepare, budget) {
        Ok(task) => task,
        Err(reason) => return Answer::without_attempt(source, reading, reason),
    };
    let engines = plan.engines(task.program());
    let (modelled, whole) = (OnceLock::new(), OnceLock::new());
    let pursue = |engine: &Engine, budget: &Budget, observer: &mut dyn Observer| {
        let start = budget.spent();
        let mut found = pursue(&task, &prepare, engine, plan, budget, observer);
        match found.verdict {
            Verdict::Unknown(Reason::Certificate(_)) => {
                let whole_of = prepare.whole();
                let make = || task.prepared_with(&whole_of, budget);
                if let Ok(task) = whole.get_or_init(make) {
                    found.try_again(pursue(task, &whole_of, engine, plan, budget, observer), |_| true);
                }
            }
            Verdict::Unknown(Reason::Unsupported { .. }) => {
                let budget = budget.with_work(hunt_work(budget.spent() - start));
                let task = modelled.get_or_init(|| task.modelled(&prepare, &budget));
                if let Ok(task) = task {
                    // Of what was found in the program without what is not modelled, executions count.
                    let is_execution = |verdict: &Verdict| matches!(verdict, Verdict::Unsafe(..));
                    found.try_again(pursue(task, &prepare, engine, plan, &budget, observer), is_execution);
                }
            }
            _ => {}
        }
        found
    };
    let answer = |task: &Task, verdict: Verdict, attempts: Vec<Attempt>, decisive: usize| Answer {
        source: Arc::clone(&source),
        reading: reading.clone(),
        verdict,
        attempts,
        decisive: Some(decisive),
        second_opinion: None,
        externs: task.externs(),
        vacuous: task.is_vacuous(),
        withheld: Vec::new(),
    };
    let told = |answer: Answer| if plan.strict { answer.strictly() } else { answer };
    let mut contradicted = false;
    let mut found: Vec<Found> = match &engines[..] {
        [only] => vec![pursue(only, budget, observer)],
        several => {
            let works = several.iter().map(|engine| {
                move |budget: &Budget, observer: &mut dyn Observer| pursue(engine, budget, observer)
            });
            take_turns(works.collect(), budget, observer, |found: &Found| {
                contradicted |= contradiction(&found.attempts).is_some();
                let decided = match found.verdict {
                    Verdict::Safe(..) => !contradicted,
                    Verdict::Unsafe(..) => true,
                    Verdict::Unknown(_) => false,
                };
                if decided {
                    let (verdict, attempts) = (found.verdict.clone(), found.attempts.clone());
                    let decisive = attempts.len() - 1;
                    judged(told(answer(
                        found.guarded.as_deref().unwrap_or(&task),
                        verdict,
                        attempts,
                        decisive,
                    )));
                }
                decided
            })
        }
    };
    let best = nearest(&found);
    let decisive = found[..=best].iter().map(|f| f.attempts.len()).sum::<usize>() - 1;
    let none = Verdict::Unknown(Reason::Stopped(Stop::Cancelled));
    let verdict = std::mem::replace(&mut found[best].verdict, none);
    let guarded = found[best].guarded.take();
    let task = guarded.as_deref().unwrap_or(&task);
    let mut answer = answer(task, verdict, found.into_iter().flat_map(|f| f.attempts).collect(), decisive);
    if !answer.may_overflow().is_empty() && may_change(plan, &task.source) {
        judged(told(answer.clone()));
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
    told(answer)
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
fn hunt_work(first: u64) -> u64 {
    (2 * first).clamp(7_000_000, 70_000_000)
}

/// May the arithmetic change?
fn may_change(plan: &Plan, source: &Program) -> bool {
    plan.arithmetic == Arithmetic::Auto && source.lang != Lang::Boogie
}

/// One engine, in integers and then, if need be, in bit-vectors. A path that meets undefined behaviour is no execution, and no end: the operation is taken to be defined
/// from then on, and the search begins again.
fn pursue(
    task: &Task,
    prepare: &PrepareOptions,
    engine: &Engine,
    plan: &Plan,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Found {
    let mut arith = if plan.arithmetic == Arithmetic::Bv { Arith::Bv } else { Arith::Int };
    let mut guarded: Option<Arc<Task>> = None;
    let mut attempts = Vec::new();
    let mut hunted = false;
    // What integers came to, if that is what bit-vectors are to better.
    let mut first: Option<Verdict> = None;
    loop {
        let here = guarded.as_deref().unwrap_or(task);
        let (verdict, attempt) = attempt(here, engine, arith, plan.checking, budget, observer);
        attempts.push(attempt);
        if first.is_none()
            && !hunted
            && let Verdict::Unknown(Reason::NotReplayed(_)) = verdict
        {
            hunted = true;
            if let Some(found) =
                hunt(task, here, prepare, (engine, arith, plan), &mut attempts, budget, observer)
            {
                return found;
            }
        }
        if let Some(guards) = more_guards(here, &verdict)
            && let Ok(next) = task.guarded(&guards, false, prepare, budget)
        {
            guarded = Some(next);
            continue;
        }
        if first.is_none() && arith == Arith::Int && may_change(plan, &task.source) && is_inexact(&verdict) {
            first = Some(verdict);
            arith = Arith::Bv;
            continue;
        }
        let Some(before) = first else { return Found { verdict, attempts, guarded } };
        let contradicted = matches!(before, Verdict::Unknown(Reason::Contradiction(_)));
        let better = match verdict {
            Verdict::Unsafe(..) => true,
            Verdict::Safe(..) => !contradicted,
            Verdict::Unknown(Reason::Stopped(_)) => false,
            Verdict::Unknown(_) => !contradicted,
        };
        if better {
            return Found { verdict, attempts, guarded };
        }
        // The attempt that the verdict comes from stays the last.
        let last = attempts.iter().rposition(|attempt| attempt.arith == Arith::Int).unwrap_or(0);
        attempts[last..].rotate_left(1);
        return Found { verdict: before, attempts, guarded };
    }
}

/// An execution in which the environment gives objects, looked for with about as much work as was done before. Operations on its way are taken to be defined as need be.
fn hunt(
    task: &Task,
    here: &Task,
    prepare: &PrepareOptions,
    (engine, arith, plan): (&Engine, Arith, &Plan),
    attempts: &mut Vec<Attempt>,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Option<Found> {
    let budget = budget.with_work(hunt_work(budget.spent()));
    let mut hunting = task.guarded(&here.guards, true, prepare, &budget).ok()?;
    let tried = attempts.len();
    loop {
        let (verdict, attempt) = attempt(&hunting, engine, arith, plan.checking, &budget, observer);
        attempts.push(attempt);
        if let Verdict::Unsafe(..) = verdict {
            let attempts = std::mem::take(attempts);
            return Some(Found { verdict, attempts, guarded: Some(hunting) });
        }
        let more = more_guards(&hunting, &verdict);
        match more.and_then(|guards| task.guarded(&guards, true, prepare, &budget).ok()) {
            Some(next) => hunting = next,
            None => break,
        }
    }
    // It says nothing that no execution was found.
    attempts.truncate(tried);
    None
}

/// What is to be taken as defined after a path met undefined behaviour; none if that would change nothing.
fn more_guards(task: &Task, verdict: &Verdict) -> Option<BTreeSet<Guard>> {
    let Verdict::Unknown(Reason::NotReplayed(finding)) = verdict else { return None };
    let new = finding.broken().filter(|guard| !task.guards.contains(guard))?;
    let mut guards = task.guards.clone();
    guards.insert(new);
    Some(guards)
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
    let mut outcome = engine.run(task, arith, &mut control);
    if let Outcome::Safe(certificate) = &mut outcome {
        certificate.assumed = task.guards.clone();
    }
    let mut stats = control.stats;
    stats.time("engine_s", timer.elapsed());
    let judged = match outcome {
        Outcome::Safe(_) => Some("check_s"),
        Outcome::Unsafe(_) => Some("replay_s"),
        Outcome::Unknown(_) => None,
    };
    let _at_once = budget.out_of_turn();
    let timer = Timer::start();
    if let (Outcome::Safe(_), true) = (&outcome, task.hunting) {
        outcome = Outcome::Unknown(Reason::Refinement(NoProgress::NothingNew));
    }
    let mut verdict = judge(&task.plain, outcome, task.signed_wrap, budget);
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
        verdict = judge_in_flat_memory(&task.plain, verdict, task.signed_wrap, budget);
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
            withheld: Vec::new(),
        }
    }
}
