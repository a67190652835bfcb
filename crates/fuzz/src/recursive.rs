//! Random recursive programs ([`craig_testgen::recursive`]): who unfolds, who summarises, who searches diagrams and who runs must agree.
//!
//! - Each engine goes as deep as it must (`craig_solve`), with a limit on its work, in one arithmetic or the other.
//! - SAFE must not be contradicted by another engine's execution, by a run of the interpreter, nor in flat memory.
//! - No answer may be a proof that does not hold, or an execution that does not replay, unless undefined behaviour lies on its way.

use crate::driver::Tally;
use crate::engine::{Flat, Said, Statement, contradiction, in_flat_memory, overflows};
use craig_base::Budget;
use craig_cfa::Program;
use craig_cfa::interp::RunEnd;
use craig_encode::{Arith, Options};
use craig_engine::pushdown::{self, Domain};
use craig_engine::{Engine, Selection, Silent};
use craig_frontend::Reading;
use craig_report::reason;
use craig_solve::{Arithmetic, Attempt, Plan, solve};
use craig_testgen::{Program as Tree, shrink};
use craig_verdict::{Reason, Verdict};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What to do with each program.
#[derive(Debug, Clone)]
pub struct Checks {
    /// Units of work for an answer, for one of decision diagrams (whose work is another), and for checking it in flat memory.
    pub answer: u64,
    pub diagrams: u64,
    pub flat: u64,
    /// Names of engines, and `auto`.
    pub engines: Vec<&'static str>,
    /// Programs tried to make a failing one small.
    pub shrink: usize,
}

impl Default for Checks {
    fn default() -> Self {
        Checks {
            answer: 500_000,
            diagrams: 1_000_000,
            flat: 200_000,
            engines: vec!["bmc", "predicate", "ic3", "spacer", "runs", "pushdown", DIAGRAMS, AUTO],
            shrink: 300,
        }
    }
}

const AUTO: &str = "auto";
/// `pushdown` on decision diagrams: in bit-vectors, with the work that these take.
const DIAGRAMS: &str = "diagrams";

/// What went wrong. A smaller program must fail in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    NotRead,
    /// No answer, for a reason that is none.
    NoAnswer(&'static str),
    /// SAFE, and a run of the interpreter, or flat memory, reaches the error.
    Contradicted(&'static str),
    /// SAFE of runs among which another engine found the error.
    Disagree(&'static str, &'static str),
    Panic(&'static str),
}

#[derive(Debug, Clone)]
pub struct Failure {
    pub seed: u64,
    pub wrong: Wrong,
    pub detail: String,
    pub text: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { seed, wrong, detail, text } = self;
        write!(f, "seed {seed}: {wrong:?}: {detail}\n{text}")
    }
}

/// The first thing that is wrong with a program; made small.
pub fn check(program: &Tree, seed: u64, checks: &Checks, tally: &mut Tally) -> Option<Failure> {
    tally.count("programs");
    let (wrong, mut detail) = check_text(&program.to_string(), seed, checks, tally).err()?;
    tally.count("failures");
    let only = Checks { engines: concerned(&wrong, checks), ..checks.clone() };
    let small = shrink(program, checks.shrink, |candidate| {
        match check_text(&candidate.to_string(), seed, &only, &mut Tally::default()) {
            Err((found, said)) if found == wrong => {
                detail = said;
                true
            }
            _ => false,
        }
    });
    Some(Failure { seed, wrong, detail, text: small.to_string() })
}

/// The engines that a failure is about.
fn concerned(wrong: &Wrong, checks: &Checks) -> Vec<&'static str> {
    match *wrong {
        Wrong::NotRead => Vec::new(),
        Wrong::NoAnswer(name) | Wrong::Contradicted(name) | Wrong::Panic(name) => vec![name],
        Wrong::Disagree(a, b) => {
            checks.engines.iter().copied().filter(|name| [a, b].contains(name)).collect()
        }
    }
}

/// All answers about one text.
pub fn check_text(text: &str, seed: u64, checks: &Checks, tally: &mut Tally) -> Result<(), (Wrong, String)> {
    let reading = Reading::default();
    let loaded = craig_frontend::c::load_text("test.c", text, &reading, &Budget::unlimited());
    let source = Arc::new(loaded.map_err(|e| (Wrong::NotRead, format!("{e:?}")))?.program);
    let mut said: Vec<Statement> = Vec::new();
    for name in &checks.engines {
        // All engines of a program in one arithmetic, so that they can be compared.
        let arith = if seed.is_multiple_of(3) || *name == DIAGRAMS { Arith::Bv } else { Arith::Int };
        let answered = catch_unwind(AssertUnwindSafe(|| ask(&source, seed, name, arith, checks, tally)));
        let answer = answered.map_err(|payload| {
            let words = payload.downcast_ref::<String>().cloned();
            let words = words.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
            (Wrong::Panic(name), words.unwrap_or_default())
        })??;
        said.extend(answer.map(|answer| Statement { engine: name, arith, answer }));
    }
    for a in &said {
        if let Some(b) = said.iter().find(|b| a.contradicts(b)) {
            return Err((Wrong::Disagree(a.engine, b.engine), format!("{a:?} against {b:?}")));
        }
    }
    tally.count(match said.iter().map(|s| matches!(s.answer, Said::Safe { .. })).max() {
        None => "decided by nobody",
        Some(true) => "SAFE by some",
        Some(false) => "UNSAFE",
    });
    Ok(())
}

/// SAFE or UNSAFE, if it was one of these, by one engine or by `auto`.
fn ask(
    source: &Arc<Program>,
    seed: u64,
    name: &'static str,
    arith: Arith,
    checks: &Checks,
    tally: &mut Tally,
) -> Result<Option<Said>, (Wrong, String)> {
    let only = match name {
        DIAGRAMS => Some(Engine::Pushdown(pushdown::Options { domain: Domain::Bdd, ..Default::default() })),
        name => Engine::all().into_iter().find(|engine| engine.name() == name),
    };
    let arithmetic = if arith == Arith::Int { Arithmetic::Int } else { Arithmetic::Bv };
    let selection = Selection { only, ..Selection::default() };
    let plan = Plan { selection, arithmetic, ..Plan::default() };
    let work = if name == DIAGRAMS { checks.diagrams } else { checks.answer };
    let budget = Budget::unlimited().with_work(work);
    let answer = solve(Arc::clone(source), Reading::default(), &plan, &budget, &mut Silent);
    for reason in answer.attempts.iter().filter_map(|attempt: &Attempt| attempt.reason.as_ref()) {
        let excused = match reason {
            Reason::Certificate(_) | Reason::Contradiction(_) | Reason::Internal(_) => false,
            Reason::NotReplayed(finding) => matches!(finding.end, RunEnd::Undefined(..)),
            _ => true,
        };
        if !excused {
            return Err((Wrong::NoAnswer(name), reason::text(reason, &source.source)));
        }
    }
    let wrong = |what| Err((Wrong::Contradicted(name), what));
    let (word, said) = match answer.verdict {
        Verdict::Unknown(reason) => (format!("UNKNOWN ({})", reason::words(&reason)), None),
        Verdict::Unsafe(violation, _) => {
            ("UNSAFE".into(), Some(Said::Unsafe { overflows: overflows(source, violation) }))
        }
        Verdict::Safe(certificate, _) => {
            // What a proof assumes of overflow is that there is none, in bit-vectors as well.
            let wraps = arith == Arith::Bv && certificate.assumed.is_empty();
            let arith = if wraps { Arith::Bv } else { Arith::Int };
            if let Some(run) = contradiction(source, seed, &Options { arith, signed_wrap: false }) {
                return wrong(format!("run {run} reaches the error"));
            }
            let how = certificate.proof.name();
            match in_flat_memory(source, certificate, false, checks.flat) {
                Flat::Refuted(what) => return wrong(what),
                flat => tally.count(format!("{name}: flat memory: {flat:?}")),
            }
            (format!("SAFE by {how}"), Some(Said::Safe { wraps }))
        }
    };
    tally.count(format!("{name} {arith:?}: {word}"));
    Ok(said)
}
