//! Many programs.

use crate::engine::{self, Flat, Judged, Limits, Said, Statement};
use crate::path::{Compared, Mistake, Ran, compare};
use craig_base::{Budget, stack};
use craig_cfa::interp::{Overflow, RunEnd};
use craig_cfa::{DataModel, Program};
use craig_encode::{Arith, Options};
use craig_engine::Engine;
use craig_testgen::{Size, generate, shrink};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// What to do with each program.
#[derive(Debug)]
pub struct Checks {
    pub size: Size,
    /// Runs of the interpreter that are compared with their encoding.
    pub runs: u64,
    /// Units of work for one question to the solver, for one answer of an engine, and for checking it in flat memory.
    pub question: u64,
    pub answer: u64,
    pub flat: u64,
    pub engines: Vec<Engine>,
    /// Every engine is asked in every reading; otherwise each in one, and which that is changes with engine and seed.
    pub every_reading: bool,
    /// Programs tried to make a failing one small (0 leaves it as it is), and the time for it.
    pub shrink: usize,
    pub shrink_time: Duration,
}

impl Default for Checks {
    fn default() -> Self {
        Checks {
            size: Size::default(),
            runs: 1,
            question: 5_000_000,
            answer: 300_000,
            flat: 1_000_000,
            engines: Engine::on_terms(),
            every_reading: false,
            shrink: 2_000,
            shrink_time: Duration::from_secs(30),
        }
    }
}

/// What went wrong. A smaller program must fail in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The front end does not take the program.
    NotRead,
    /// The encoded path does not allow the run.
    Refused(Arith),
    /// The encoded path allows other values than the run's.
    Loose(Arith),
    /// The engine says SAFE and a run is at odds with the proof.
    Contradicted(&'static str, Arith),
    /// The trace of the engine is no execution.
    NotReplayed(&'static str, Arith),
    /// The engine said SAFE with a certificate that does not prove it.
    Unproved(&'static str, Arith),
    /// The engine said SAFE with a certificate that fails in flat memory.
    Flat(&'static str, Arith),
    /// The first says SAFE of runs among which the second found the error.
    Disagree((&'static str, Arith), (&'static str, Arith)),
    Panic,
}

#[derive(Debug, Clone)]
pub struct Failure {
    pub seed: u64,
    pub kind: Kind,
    pub detail: String,
    pub text: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}: {:?}: {}\n{}", self.seed, self.kind, self.detail, self.text)
    }
}

/// How often what happened.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub counts: BTreeMap<String, u64>,
}

impl Tally {
    pub fn count(&mut self, what: impl Into<String>) {
        self.add(what, 1);
    }

    fn add(&mut self, what: impl Into<String>, count: u64) {
        *self.counts.entry(what.into()).or_default() += count;
    }

    pub fn get(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, count) in &self.counts {
            writeln!(f, "{count:8} {what}")?;
        }
        Ok(())
    }
}

/// Checks the programs of `count` seeds on so many threads. What was found in each is handed over as soon as it is there, a failure as soon
/// as it is small, with the tally of all so far.
pub fn run(
    first: u64,
    count: u64,
    threads: usize,
    checks: &Checks,
    mut done: impl FnMut(&Tally, Option<Failure>),
) -> Tally {
    let mut all = Tally::default();
    let next = AtomicU64::new(first);
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (send, next) = (send.clone(), &next);
            let work = move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count || send.send(check_seed(seed, checks)).is_err() {
                        break;
                    }
                }
            };
            stack::spawn(scope, "fuzz", work).expect("a thread");
        }
        drop(send);
        for (tally, failure) in receive {
            tally.counts.into_iter().for_each(|(what, count)| all.add(what, count));
            done(&all, failure);
        }
    });
    all
}

/// Checks the program of a seed, and makes it small if it fails.
pub fn check_seed(seed: u64, checks: &Checks) -> (Tally, Option<Failure>) {
    let mut tally = Tally::default();
    tally.count("programs");
    let program = generate(seed, &checks.size);
    let Some((kind, detail)) = check(&program.to_string(), seed, checks, None, &mut tally) else {
        return (tally, None);
    };
    tally.count("failures");
    let mut last = detail;
    let budget = Budget::unlimited().with_time(checks.shrink_time);
    let small = shrink(&program, checks.shrink, |candidate| {
        if budget.check().is_err() {
            return false;
        }
        match check(&candidate.to_string(), seed, checks, Some(&kind), &mut Tally::default()) {
            Some((k, detail)) if k == kind => {
                last = detail;
                true
            }
            _ => false,
        }
    });
    (tally, Some(Failure { seed, kind, detail: last, text: small.to_string() }))
}

/// The first thing that is wrong with a program. `only` looks for one kind of failure and spares what cannot show it.
pub fn check(
    text: &str,
    seed: u64,
    checks: &Checks,
    only: Option<&Kind>,
    tally: &mut Tally,
) -> Option<(Kind, String)> {
    let checked = catch_unwind(AssertUnwindSafe(|| check_all(text, seed, checks, only, tally)));
    match checked {
        Ok(result) => result.err(),
        Err(payload) => {
            let words = payload.downcast_ref::<String>().cloned();
            let words = words.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
            Some((Kind::Panic, words.unwrap_or_default()))
        }
    }
}

/// Is the kind one that this check of paths, or this engine, could show?
fn concerns(only: Option<&Kind>, engine: Option<&str>, arith: Arith) -> bool {
    match only {
        None | Some(Kind::Panic | Kind::NotRead) => true,
        Some(Kind::Refused(a) | Kind::Loose(a)) => engine.is_none() && *a == arith,
        Some(
            Kind::Contradicted(name, a)
            | Kind::NotReplayed(name, a)
            | Kind::Unproved(name, a)
            | Kind::Flat(name, a),
        ) => engine == Some(*name) && *a == arith,
        Some(Kind::Disagree(a, b)) => engine.is_some_and(|name| [*a, *b].contains(&(name, arith))),
    }
}

const READINGS: [(Arith, bool); 3] = [(Arith::Bv, false), (Arith::Int, false), (Arith::Int, true)];

fn check_all(
    text: &str,
    seed: u64,
    checks: &Checks,
    only: Option<&Kind>,
    tally: &mut Tally,
) -> Result<(), (Kind, String)> {
    let model = if seed.is_multiple_of(2) { DataModel::Ilp32 } else { DataModel::Lp64 };
    let reading = craig_frontend::Reading { model, ..craig_frontend::Reading::default() };
    let source = craig_frontend::c::load_text("test.c", text, &reading, &Budget::unlimited())
        .map_err(|e| (Kind::NotRead, format!("{e:?}")))?
        .program;
    let source = Arc::new(source);
    for run in 0..checks.runs {
        check_paths(&source, seed.wrapping_mul(7).wrapping_add(run), checks.question, only, tally)?;
    }
    let mut answers = Vec::new();
    let limits = Limits { answer: checks.answer, flat: checks.flat };
    for (at, engine) in checks.engines.iter().enumerate() {
        let turn = (seed.wrapping_add(at as u64) % READINGS.len() as u64) as usize;
        let readings = match checks.every_reading || only.is_some() {
            true => &READINGS[..],
            false => &READINGS[turn..=turn],
        };
        let concerned = readings.iter().filter(|(a, _)| concerns(only, Some(engine.name()), *a));
        for &(arith, signed_wrap) in concerned {
            let options = Options { arith, signed_wrap };
            let answer = check_engine(&source, seed, engine, &options, limits, tally)?;
            answers.extend(answer.map(|answer| Statement { engine: engine.name(), arith, answer }));
        }
    }
    check_agreement(&answers)
}

/// What the engines say of one program.
fn check_agreement(answers: &[Statement]) -> Result<(), (Kind, String)> {
    for a in answers {
        if let Some(b) = answers.iter().find(|b| a.contradicts(b)) {
            let kind = Kind::Disagree((a.engine, a.arith), (b.engine, b.arith));
            return Err((kind, format!("{a:?} against {b:?}")));
        }
    }
    Ok(())
}

/// Runs without signed overflow in all readings, runs with it where it wraps around.
fn check_paths(
    source: &Program,
    seed: u64,
    limit: u64,
    only: Option<&Kind>,
    tally: &mut Tally,
) -> Result<(), (Kind, String)> {
    if only.is_some() && READINGS.iter().all(|(a, _)| !concerns(only, None, *a)) {
        return Ok(());
    }
    for overflow in [Overflow::Undefined, Overflow::Wrap] {
        let Some(ran) = Ran::new(source, seed, overflow) else {
            tally.count("runs: not inlined");
            continue;
        };
        tally.count(match ran.end() {
            RunEnd::Undefined(kind, _) => format!("runs: {kind}"),
            RunEnd::Ended { .. } => "runs: ended".into(),
            other => format!("runs: {other}"),
        });
        if let RunEnd::Internal(what) = ran.end() {
            return Err((Kind::Panic, what.clone()));
        }
        // Bit-vectors come first: where they are exact, memory is followed.
        let mut followed = false;
        for (arith, signed_wrap) in READINGS {
            let wraps = signed_wrap || arith == Arith::Bv;
            if overflow == Overflow::Wrap && !wraps {
                continue;
            }
            let compared = match compare(&ran, Options { arith, signed_wrap }, limit) {
                Compared::WeakMemory { bits: true, bytes: false, .. } if followed => Compared::WeakBits,
                Compared::WeakMemory { bits: false, bytes: false, mistake } if followed => {
                    Compared::Wrong(mistake)
                }
                other => other,
            };
            followed |= arith == Arith::Bv && compared == Compared::Exact;
            let word = match compared {
                Compared::Exact => "exact",
                Compared::WeakBits => "inexact: bit operations",
                Compared::WeakMemory { .. } => "inexact: memory",
                Compared::Undecided => "undecided",
                Compared::Skipped => "skipped",
                Compared::Wrong(Mistake::Refused(what)) => return Err((Kind::Refused(arith), what)),
                Compared::Wrong(Mistake::Loose(what)) => return Err((Kind::Loose(arith), what)),
            };
            tally.count(format!("paths {arith:?}: {word}"));
        }
    }
    Ok(())
}

/// SAFE or UNSAFE, if it was one of these.
fn check_engine(
    source: &Arc<Program>,
    seed: u64,
    engine: &Engine,
    options: &Options,
    limits: Limits,
    tally: &mut Tally,
) -> Result<Option<Said>, (Kind, String)> {
    let name = engine.name();
    let judged = engine::judge(source, seed, engine, options, limits);
    let said = match judged {
        Judged::Safe(..) => Some(Said::Safe { wraps: engine::wraps(options) }),
        Judged::Unsafe { overflows } => Some(Said::Unsafe { overflows }),
        _ => None,
    };
    let wrap = if options.signed_wrap { " wrapping" } else { "" };
    let word = match judged {
        Judged::Safe(Flat::Refuted(detail), _) => return Err((Kind::Flat(name, options.arith), detail)),
        Judged::Safe(flat, runs) => {
            tally.add("gate: runs", runs.runs);
            tally.add("gate: formulas true where a run passed", runs.evaluated);
            tally.add("gate: formulas skipped", runs.skipped);
            tally.add("gate: accesses", runs.accesses);
            let word = match flat {
                Flat::Shown => "shown",
                Flat::Unwound => "shown by unwinding",
                Flat::NotShown => "not shown",
                Flat::NotTranslatable => "not translatable",
                _ => "undecided",
            };
            tally.count(format!("flat memory {:?}{wrap}: {word}", options.arith));
            "SAFE".into()
        }
        Judged::Unsafe { .. } => "UNSAFE".into(),
        Judged::Undefined => "not replayed: undefined behaviour".into(),
        Judged::Weak(why) => format!("not replayed: {why}"),
        Judged::Unknown(reason) => format!("UNKNOWN ({reason})"),
        Judged::Contradicted(what) => return Err((Kind::Contradicted(name, options.arith), what)),
        Judged::NotReplayed(what) => return Err((Kind::NotReplayed(name, options.arith), what)),
        Judged::Unproved(why) => return Err((Kind::Unproved(name, options.arith), format!("{why:?}"))),
    };
    tally.count(format!("{name} {:?}{wrap}: {word}", options.arith));
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_found_by_one_engine_refutes_the_proof_of_another() {
        let safe = |wraps| Statement { engine: "a", arith: Arith::Int, answer: Said::Safe { wraps } };
        let found =
            |overflows| Statement { engine: "b", arith: Arith::Bv, answer: Said::Unsafe { overflows } };
        for (wraps, overflows, wrong) in [
            (true, true, true),
            (true, false, true),
            (false, false, true),
            // The proof is not about such executions.
            (false, true, false),
        ] {
            let kind = check_agreement(&[safe(wraps), found(overflows)]).err().map(|(kind, _)| kind);
            let expected = Kind::Disagree(("a", Arith::Int), ("b", Arith::Bv));
            assert_eq!(kind, wrong.then_some(expected), "{wraps} {overflows}");
        }
        assert_eq!(check_agreement(&[safe(true), safe(false)]), Ok(()));
        assert_eq!(check_agreement(&[found(true), found(false)]), Ok(()));
    }
}
