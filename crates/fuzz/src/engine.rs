//! What an engine answers against runs of the interpreter, and what two engines answer against each other.
//!
//! - SAFE must not be contradicted by a run that reaches the error. In integer arithmetic SAFE is said of runs without signed
//!   overflow (design, section 6), with `--signed-wrap` and in bit-vector arithmetic of all.
//!   The certificate must be accepted by the checker.
//! - UNSAFE must replay. A trace that runs into undefined behaviour first is no mistake: the encoding says nothing about
//!   what follows it.
//! - No engine may say SAFE of runs among which another one found the error ([`Answer::contradicts`]).

use crate::path::is_weak;
use craig_base::Budget;
use craig_cfa::Program;
use craig_cfa::interp::{self, Config, Outcome as RunOutcome, Overflow, Random};
use craig_cfa::pass::prepare::{Blocks, PrepareOptions, Prepared, prepare};
use craig_encode::Arith;
use craig_encode::memory::{AddressMap, CellKind, Memory};
use craig_encode::range::Ranges;
use craig_engine::run::{RunOptions, Silent, Stats};
use craig_engine::{bmc, impact, predicate, slicing};
use craig_verdict::{Outcome, Reason, Trace, Verdict, judge as judge_outcome};
use std::time::Duration;

/// An engine: from the program, prepared as it wants it, to an answer.
#[derive(Debug, Clone, Copy)]
pub struct Engine {
    pub name: &'static str,
    pub blocks: Blocks,
    pub run: fn(&Prepared, &RunOptions, &Budget) -> Outcome,
}

/// All that are compared, with their default options.
pub const ENGINES: &[Engine] = &[
    Engine {
        name: "bmc",
        blocks: Blocks::Large,
        run: |program, options, budget| {
            bmc::run(program, options, budget, &mut Silent, &mut Stats::default())
        },
    },
    Engine {
        name: "predicate",
        blocks: Blocks::Single,
        run: |program, options, budget| {
            let own = predicate::Options::default();
            predicate::run(program, options, &own, budget, &mut Silent, &mut Stats::default())
        },
    },
    Engine {
        name: "slicing",
        blocks: Blocks::Single,
        run: |program, options, budget| {
            let own = slicing::Options::default();
            slicing::run(program, options, &own, budget, &mut Silent, &mut Stats::default())
        },
    },
    Engine {
        name: "impact",
        blocks: Blocks::Single,
        run: |program, options, budget| {
            let own = impact::Options::default();
            impact::run(program, options, &own, budget, &mut Silent, &mut Stats::default())
        },
    },
];

/// SAFE or UNSAFE, who said it and of which reading of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    pub engine: &'static str,
    pub arith: Arith,
    pub signed_wrap: bool,
    pub safe: bool,
}

impl Answer {
    /// This answer is SAFE and the other one's replayed execution is among the runs that it speaks of. An execution without signed overflow
    /// belongs to every reading; one that may need it (`--signed-wrap`), only to those where it wraps around.
    pub fn contradicts(&self, other: &Answer) -> bool {
        let all_runs = wraps(self.arith, self.signed_wrap);
        self.safe && !other.safe && (all_runs || !other.signed_wrap)
    }
}

/// Does SAFE speak of runs with signed overflow too?
fn wraps(arith: Arith, signed_wrap: bool) -> bool {
    signed_wrap || arith == Arith::Bv
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged {
    Safe,
    Unsafe,
    /// The trace runs into undefined behaviour.
    Undefined,
    /// The trace is no execution, as may be where the encoding is weak by design; see [`crate::path`].
    Weak(&'static str),
    Unknown(String),
    /// SAFE, but the run with this seed reaches the error.
    Contradicted(u64),
    /// UNSAFE, but the trace is no execution; what it is.
    NotReplayed(String),
    /// SAFE, but the checker refuses the certificate; why.
    Unproved(String),
}

/// Runs of the interpreter that may contradict a SAFE.
pub const RUNS: u64 = 20;
const STEPS: u64 = 20_000;

pub fn judge(source: &Program, seed: u64, engine: &Engine, options: &RunOptions, limit: Duration) -> Judged {
    let prepared = prepare(source, &PrepareOptions { blocks: engine.blocks, ..PrepareOptions::default() });
    let budget = Budget::unlimited().with_time(limit);
    let outcome = (engine.run)(&prepared, options, &budget);
    let trace = match &outcome {
        Outcome::Unsafe(trace) => Some(trace.clone()),
        _ => None,
    };
    match judge_outcome(source, outcome, options.signed_wrap, &budget) {
        Verdict::Unsafe(..) => Judged::Unsafe,
        Verdict::Safe(..) => match contradiction(source, seed, options) {
            Some(run) => Judged::Contradicted(run),
            None => Judged::Safe,
        },
        Verdict::Unknown(Reason::Certificate(what)) => Judged::Unproved(what),
        Verdict::Unknown(Reason::NotReplayed(what, _)) if is_undefined(&what) => Judged::Undefined,
        Verdict::Unknown(Reason::NotReplayed(what, span)) => {
            let line = span.map_or(0, |s| source.source.line(s));
            match trace.and_then(|trace| weakness(source, &prepared.program, &trace)) {
                Some(weak) => Judged::Weak(weak),
                None => Judged::NotReplayed(format!("{what}, line {line}")),
            }
        }
        Verdict::Unknown(reason) => Judged::Unknown(reason.to_string()),
    }
}

/// The seed of a run that reaches the error.
fn contradiction(source: &Program, seed: u64, options: &RunOptions) -> Option<u64> {
    let overflow = match wraps(options.arith, options.signed_wrap) {
        true => Overflow::Wrap,
        false => Overflow::Undefined,
    };
    (0..RUNS).map(|i| seed.wrapping_mul(RUNS).wrapping_add(i)).find(|run| {
        let config = Config { overflow, steps: STEPS, ..Config::default() };
        let run = interp::run(source, &config, &mut Random::new(*run), &mut std::io::sink());
        run.outcome == RunOutcome::Error
    })
}

/// What the trace may owe its mistake to.
fn weakness(source: &Program, prepared: &Program, trace: &Trace) -> Option<&'static str> {
    let mut ranges = Ranges::default();
    let mut ops = trace.steps.iter().map(|s| &source.edges[s.origin].op);
    if trace.arith == Arith::Int && ops.any(|op| is_weak(source, op, &mut ranges)) {
        return Some("bit operations");
    }
    let memory = Memory::new(prepared, &AddressMap::default());
    memory.cells().iter().any(|c| c.kind == CellKind::Opaque).then_some("memory")
}

/// Does the text of an outcome speak of undefined behaviour?
fn is_undefined(what: &str) -> bool {
    use interp::Undefined as U;
    let kinds = [
        U::NullDereference,
        U::OutOfBounds,
        U::UseAfterFree,
        U::UseAfterReturn,
        U::InvalidPointer,
        U::InvalidFree,
        U::SignedOverflow,
        U::DivisionByZero,
        U::ShiftAmount,
        U::FloatToInt,
        U::OverlappingCopy,
        U::Marked,
    ];
    kinds.iter().any(|kind| what.starts_with(&kind.to_string()))
}
