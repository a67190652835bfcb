//! Random Remopla programs: what the engine for pushdown systems answers, in both directions of search and with all its choices of interpolants, against a search that looks at every
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
use craig_engine::options::Abstraction;
use craig_engine::pushdown::{Direction, Interpolants, Options, Saving, Stopping};
use craig_engine::{Control, Engine, Silent, Task, bmc, predicate};
use craig_frontend::{Loops, Overflow};
use craig_report::reason;
use craig_testgen::remopla::{Program, Reading, Search, search, shrink};
use craig_testgen::rng::Rng;
use craig_verdict::{Outcome, Reason, Verdict, judge};
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
    /// Programs tried to make a failing one small.
    pub shrink: usize,
}

impl Default for Checks {
    fn default() -> Self {
        Checks {
            states: 400_000,
            runs: 10,
            answer: Duration::from_secs(20),
            inlined: Duration::from_secs(1),
            both_stops: false,
            others: true,
            shrink: 1_000,
        }
    }
}

/// What went wrong with a program, and how it was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub seed: u64,
    pub reading: Reading,
    pub wrong: Wrong,
    pub text: String,
}

/// Who is wrong, and how. A smaller program must fail in the same way.
#[derive(Debug, Clone, PartialEq)]
pub struct Wrong {
    pub by: By,
    pub kind: Kind,
    pub detail: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum By {
    FrontEnd,
    Interpreter,
    Engine(Engine),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    NotRead,
    /// An answer that is not what others say.
    Disagrees,
    /// No answer, for a reason that is none.
    NoAnswer,
    Panic,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { seed, reading, wrong: Wrong { by, kind, detail }, text } = self;
        write!(f, "seed {seed}: {reading:?}: {by:?}: {kind:?}: {detail}\n{text}")
    }
}

/// The first thing that is wrong with a program, in both readings of what does not fit; made small.
pub fn check(program: &Program, checks: &Checks, tally: &mut Tally) -> Option<Failure> {
    tally.count("programs");
    let mut rng = Rng::new(program.seed);
    let leave = rng.chance(30);
    [false, true].into_iter().find_map(|wrap| {
        let reading = Reading { wrap, leave };
        let expected = search(program, reading, checks.states);
        tally.count(format!("explicit: {expected:?}"));
        let mut engines: Vec<Engine> = variants(checks, &mut rng).into_iter().map(Engine::Pushdown).collect();
        if checks.others && !program.is_recursive() {
            engines.push(Engine::Bmc(bmc::Options::default()));
            engines.push(Engine::Predicate(predicate::Options::default()));
        }
        let seed = rng.bits();
        let mut wrong =
            check_text(&program.to_string(), reading, expected, &engines, checks, seed, tally).err()?;
        tally.count("failures");
        let only = match &wrong.by {
            By::Engine(engine) => vec![engine.clone()],
            _ => Vec::new(),
        };
        let small = shrink(program, checks.shrink, |candidate| {
            let expected = search(candidate, reading, checks.states);
            let (text, mut tally) = (candidate.to_string(), Tally::default());
            match check_text(&text, reading, expected, &only, checks, seed, &mut tally) {
                Err(found) if found.by == wrong.by && found.kind == wrong.kind => {
                    wrong = found;
                    true
                }
                _ => false,
            }
        });
        Some(Failure { seed: program.seed, reading, wrong, text: small.to_string() })
    })
}

/// All answers about one text in one reading, against what is expected of it.
pub fn check_text(
    text: &str,
    reading: Reading,
    expected: Search,
    engines: &[Engine],
    checks: &Checks,
    seed: u64,
    tally: &mut Tally,
) -> Result<(), Wrong> {
    let read = craig_frontend::Reading {
        overflow: if reading.wrap { Overflow::Wrap } else { Overflow::Block },
        loops: if reading.leave { Loops::Leave } else { Loops::Stop },
        ..craig_frontend::Reading::default()
    };
    let loaded = craig_frontend::remopla::load_text("test.rem", text, &read, &Budget::unlimited());
    let not_read = |detail| Wrong { by: By::FrontEnd, kind: Kind::NotRead, detail };
    let loaded = loaded.map_err(|e| not_read(format!("{e:?}")))?;
    if let Some(nothing) = loaded.nothing {
        return Err(not_read(format!("{nothing:?}")));
    }
    let source = Arc::new(loaded.program);
    let mut judge = Judge { source, expected, checks, tally };
    for run in 0..checks.runs {
        judge.run(seed.wrapping_add(run))?;
    }
    engines.iter().try_for_each(|engine| judge.ask(engine))
}

/// The engine without abstraction, in both directions and both ways to stop; then with every choice of interpolants. Savings, and another
/// order of variables, by chance.
pub fn variants(checks: &Checks, rng: &mut Rng) -> Vec<Options> {
    // Room for small diagrams only, so that little memory is touched.
    let usual = Options { bdd_nodes: 1 << 20, ..Options::default() };
    let plain = [Direction::Post, Direction::Pre].map(|search| Options {
        abstraction: Abstraction::Off,
        search,
        ..usual.clone()
    });
    let abstracted = Interpolants::all().iter().map(|interpolants| Options {
        abstraction: Abstraction::Boolean,
        interpolants: *interpolants,
        ..usual.clone()
    });
    let mut found = Vec::new();
    for options in plain.into_iter().chain(abstracted) {
        let mut stops = vec![Stopping::Complete, Stopping::First];
        if !checks.both_stops && options.abstraction != Abstraction::Off {
            stops.remove(rng.below(2));
        }
        for stop in stops {
            let without = Saving::all().iter().copied().filter(|_| rng.chance(30)).collect();
            let reorder_at = if rng.chance(30) { 200 } else { usual.reorder_at };
            found.push(Options { stop, without, reorder_at, ..options.clone() });
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
        let no_answer = |detail| Wrong { by: By::Interpreter, kind: Kind::NoAnswer, detail };
        match run.end {
            RunEnd::Error => {
                self.tally.count("runs: error");
                self.agree(By::Interpreter, Search::Unsafe)
            }
            // Remopla has none.
            RunEnd::Undefined(kind, _) => Err(no_answer(format!("undefined behaviour: {kind}"))),
            RunEnd::Internal(what) => Err(no_answer(what)),
            _ => Ok(()),
        }
    }

    fn agree(&mut self, by: By, said: Search) -> Result<(), Wrong> {
        match self.expected {
            Search::GivenUp => self.expected = said,
            expected if expected != said => {
                return Err(Wrong {
                    by,
                    kind: Kind::Disagrees,
                    detail: format!("{said:?}, not {expected:?}"),
                });
            }
            _ => {}
        }
        Ok(())
    }

    /// The engine for pushdown systems has no excuse beside time and memory.
    fn ask(&mut self, engine: &Engine) -> Result<(), Wrong> {
        let decides = matches!(engine, Engine::Pushdown(_));
        let name = match engine {
            Engine::Pushdown(Options { abstraction: Abstraction::Off, search, .. }) => {
                format!("plain, {search:?}")
            }
            Engine::Pushdown(options) => format!("{:?}", options.interpolants),
            other => other.name().to_string(),
        };
        let wrong = |kind, detail| Wrong { by: By::Engine(engine.clone()), kind, detail };
        let time = if decides { self.checks.answer } else { self.checks.inlined };
        let answered = catch_unwind(AssertUnwindSafe(|| answer(&self.source, engine, time)));
        let (verdict, cycles) = answered.map_err(|payload| {
            let words = payload.downcast_ref::<String>().cloned();
            let words = words.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
            wrong(Kind::Panic, words.unwrap_or_default())
        })?;
        if matches!(engine, Engine::Pushdown(options) if options.abstraction != Abstraction::Off) {
            let many = match cycles {
                0 => "none",
                1 => "1",
                2..=4 => "2 to 4",
                _ => "5 and more",
            };
            self.tally.count(format!("cycles of refinement: {many}"));
        }
        let said = match verdict {
            Verdict::Safe(..) => Search::Safe,
            Verdict::Unsafe(..) => Search::Unsafe,
            Verdict::Unknown(reason) => {
                self.tally.count(format!("{name}: UNKNOWN ({})", reason::words(&reason)));
                let excused = match reason {
                    Reason::Stopped(_) | Reason::BddNodes(_) => true,
                    Reason::Certificate(_)
                    | Reason::Contradiction(_)
                    | Reason::NotReplayed(_)
                    | Reason::Internal(_) => false,
                    _ => !decides,
                };
                let text = reason::text(&reason, &self.source.source);
                return if excused { Ok(()) } else { Err(wrong(Kind::NoAnswer, text)) };
            }
        };
        self.tally.count(format!("{name}: {said:?}"));
        self.agree(By::Engine(engine.clone()), said)
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
    // A few steps replay at once; where the run goes another way it may do so for long.
    let (execution, budget) = match &outcome {
        Outcome::Unsafe(_) => (true, Budget::unlimited().with_time(REPLAY)),
        _ => (false, budget),
    };
    match judge(source, outcome, false, &budget) {
        Verdict::Unknown(Reason::Stopped(_)) if execution => {
            (Verdict::Unknown(Reason::Internal("an execution that does not come to its end".into())), cycles)
        }
        verdict => (verdict, cycles),
    }
}

/// Time for a replay.
const REPLAY: Duration = Duration::from_secs(3);
