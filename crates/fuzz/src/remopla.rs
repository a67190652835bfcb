//! Random Remopla programs: what the engine for pushdown systems answers, with all its choices of interpolants, against a search that looks at every
//! state ([`craig_testgen::remopla::explicit`]), runs of the interpreter, and engines that inline.
//!
//! - SAFE and UNSAFE must be what the explicit search says; where that gives up, all must say the same.
//! - The engine must not end with a proof or an execution that does not hold, nor with a refinement that brings nothing: data are finite,
//!   so that there is always something left to find.

use crate::driver::Tally;
use craig_base::Budget;
use craig_cfa::Program as Source;
use craig_cfa::interp::{self, Config, Random, RunEnd};
use craig_cfa::pass::PrepareOptions;
use craig_encode::Arith;
use craig_engine::pushdown::{Interpolants, Options, Stopping, Switch};
use craig_engine::{Control, Engine, Silent, Task, bmc, predicate};
use craig_frontend::{Loops, Overflow};
use craig_report::reason;
use craig_testgen::remopla::{Program, Reading, Search, search};
use craig_testgen::rng::Rng;
use craig_verdict::{Reason, Verdict, judge};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// What to do with each program.
#[derive(Debug, Clone)]
pub struct Checks {
    /// States at which the explicit search looks at most.
    pub states: usize,
    /// Runs of the interpreter.
    pub runs: u64,
    /// Time for an answer, and for one of the engines that inline.
    pub answer: Duration,
    pub inlined: Duration,
    /// Choices of interpolants in each of both ways to stop; otherwise each in one of them, by chance.
    pub both_stops: bool,
    /// Engines that inline are asked of programs without recursion.
    pub others: bool,
}

impl Default for Checks {
    fn default() -> Self {
        Checks { states: 400_000, runs: 10, answer: Duration::from_secs(20), both_stops: false, others: true }
    }
}

/// What went wrong with a program, and how it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub seed: u64,
    pub reading: Reading,
    /// Who answered.
    pub by: String,
    pub detail: String,
    pub text: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { seed, reading, by, detail, text } = self;
        write!(f, "seed {seed}: {reading:?}: {by}: {detail}\n{text}")
    }
}

/// Who answered, and what is wrong with it.
type Wrong = (String, String);

/// The first thing that is wrong with a program, in both readings of what does not fit.
pub fn check(program: &Program, checks: &Checks, tally: &mut Tally) -> Option<Failure> {
    tally.count("programs");
    let mut rng = Rng::new(program.seed);
    let leave = rng.chance(30);
    [false, true].into_iter().find_map(|wrap| {
        let reading = Reading { wrap, leave };
        let text = program.to_string();
        let expected = search(program, reading, checks.states);
        tally.count(format!("explicit: {expected:?}"));
        let others = checks.others && !program.is_recursive();
        let wrong = check_text(&text, reading, expected, others, checks, &mut rng, tally).err();
        wrong.map(|(by, detail)| {
            tally.count("failures");
            Failure { seed: program.seed, reading, by, detail, text }
        })
    })
}

/// All answers about one text in one reading, against what is expected of it.
pub fn check_text(
    text: &str,
    reading: Reading,
    expected: Search,
    others: bool,
    checks: &Checks,
    rng: &mut Rng,
    tally: &mut Tally,
) -> Result<(), Wrong> {
    let read = craig_frontend::Reading {
        overflow: if reading.wrap { Overflow::Wrap } else { Overflow::Block },
        loops: if reading.leave { Loops::Leave } else { Loops::Stop },
        ..craig_frontend::Reading::default()
    };
    let loaded = craig_frontend::remopla::load_text("test.rem", text, &read, &Budget::unlimited());
    let source = loaded.map_err(|e| ("front end".to_string(), format!("{e:?}")))?.program;
    let source = Arc::new(source);
    let mut judge = Judge { source, expected, checks, tally };
    for _ in 0..checks.runs {
        judge.run(rng.bits())?;
    }
    for options in variants(checks, rng) {
        judge.ask(&Engine::Pushdown(options), true)?;
    }
    if others {
        judge.ask(&Engine::Bmc(bmc::Options::default()), false)?;
        judge.ask(&Engine::Predicate(predicate::Options::default()), false)?;
    }
    Ok(())
}

/// The engine without abstraction, then with every choice of interpolants; the switches by chance.
fn variants(checks: &Checks, rng: &mut Rng) -> Vec<Options> {
    let switch = |rng: &mut Rng| if rng.chance(50) { Switch::On } else { Switch::Off };
    let kinds = [
        Interpolants::Weakest,
        Interpolants::Strongest,
        Interpolants::Both,
        Interpolants::Conciliated,
        Interpolants::ConciliatedDown,
        Interpolants::Skip,
        Interpolants::SkipConciliated,
    ];
    let plain = (Interpolants::default(), Switch::Off);
    let mut found = Vec::new();
    for (interpolants, refine) in [plain].into_iter().chain(kinds.map(|kind| (kind, Switch::On))) {
        let mut stops = vec![Stopping::Complete, Stopping::First];
        if !checks.both_stops && refine.is_on() {
            stops.remove(rng.below(2));
        }
        for stop in stops {
            let (slice, lazy, incremental) = (switch(rng), switch(rng), switch(rng));
            // Room for small diagrams only, so that little memory is touched.
            let bdd_nodes = 1 << 20;
            let rest = Options::default();
            found.push(Options { interpolants, refine, stop, slice, lazy, incremental, bdd_nodes, ..rest });
        }
    }
    found
}

/// Answers about one program.
struct Judge<'a> {
    source: Arc<Source>,
    /// What is known of it.
    expected: Search,
    checks: &'a Checks,
    tally: &'a mut Tally,
}

/// A run may take so many steps, and have so many calls inside each other.
const STEPS: u64 = 2_000;
const CALLS: usize = 200;

impl Judge<'_> {
    /// A run of the interpreter.
    fn run(&mut self, seed: u64) -> Result<(), Wrong> {
        let config = Config { steps: STEPS, depth: CALLS, ..Config::default() };
        let run = interp::run(&self.source, &config, &mut Random::new(seed), &mut std::io::sink());
        let wrong = |what: String| Err(("interpreter".to_string(), what));
        match run.end {
            RunEnd::Error => {
                self.tally.count("runs: error");
                self.agree(Search::Unsafe).map_err(|what| ("interpreter".to_string(), what))
            }
            // Remopla has none.
            RunEnd::Undefined(kind, _) => wrong(format!("undefined behaviour: {kind}")),
            RunEnd::Internal(what) => wrong(what),
            _ => Ok(()),
        }
    }

    fn agree(&mut self, said: Search) -> Result<(), String> {
        match self.expected {
            Search::GivenUp => self.expected = said,
            expected if expected != said => return Err(format!("{said:?}, not {expected:?}")),
            _ => {}
        }
        Ok(())
    }

    /// An engine that `decides` has no excuse beside time and memory.
    fn ask(&mut self, engine: &Engine, decides: bool) -> Result<(), Wrong> {
        let name = match engine {
            Engine::Pushdown(Options { refine: Switch::Off, .. }) => "plain".to_string(),
            Engine::Pushdown(options) => format!("{:?}", options.interpolants),
            other => other.name().to_string(),
        };
        let by = || format!("{engine:?}");
        let time = if decides { self.checks.answer } else { self.checks.inlined };
        let answered = catch_unwind(AssertUnwindSafe(|| answer(&self.source, engine, time)));
        let (verdict, cycles) = answered.map_err(|payload| {
            let words = payload.downcast_ref::<String>().cloned();
            let words = words.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
            (by(), format!("panic: {}", words.unwrap_or_default()))
        })?;
        if matches!(engine, Engine::Pushdown(options) if options.refine.is_on()) {
            let many = match cycles {
                0..=1 => "0 or 1",
                2..=4 => "2 to 4",
                _ => "5 and more",
            };
            self.tally.count(format!("cycles of refinement: {many}"));
        }
        let said = match verdict {
            Verdict::Safe(..) => Search::Safe,
            Verdict::Unsafe(..) => Search::Unsafe,
            Verdict::Unknown(reason) => {
                let words = reason::words(&reason);
                self.tally.count(format!("{name}: UNKNOWN ({words})"));
                let excused = match reason {
                    Reason::Stopped(_) | Reason::BddNodes(_) => true,
                    Reason::Certificate(_)
                    | Reason::Contradiction(_)
                    | Reason::NotReplayed(_)
                    | Reason::Internal(_) => false,
                    _ => !decides,
                };
                let text = reason::text(&reason, &self.source.source);
                return if excused { Ok(()) } else { Err((by(), format!("{words}: {text}"))) };
            }
        };
        self.tally.count(format!("{name}: {said:?}"));
        self.agree(said).map_err(|what| (by(), what))
    }
}

/// A judged answer, in exact arithmetic, and the cycles of refinement.
fn answer(source: &Arc<Source>, engine: &Engine, time: Duration) -> (Verdict, u64) {
    let budget = Budget::unlimited().with_time(time);
    let task = match Task::new(Arc::clone(source), false, &PrepareOptions::default(), &budget) {
        Ok(task) => task,
        Err(reason) => return (Verdict::Unknown(reason), 0),
    };
    let mut observer = Silent;
    let mut control = Control::new(&budget, &mut observer);
    let outcome = engine.run(&task, Arith::Bv, &mut control);
    let cycles = control.stats.get("cycles").unwrap_or(0.0) as u64;
    (judge(source, outcome, false, &budget), cycles)
}
