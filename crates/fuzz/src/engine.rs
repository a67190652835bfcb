//! What an engine answers against runs of the interpreter, and what two engines answer against each other.
//!
//! - SAFE must not be contradicted by a run that reaches the error. In integer arithmetic SAFE is said of runs without signed
//!   overflow (ARCHITECTURE.md, invariants), with `--signed-wrap` and in bit-vector arithmetic of all.
//!   The certificate must be accepted by the checker, and must not fail in flat memory.
//! - UNSAFE must replay. A trace that runs into undefined behaviour first is no mistake: the encoding says nothing about
//!   what follows it.
//! - No engine may say SAFE of runs among which another one found the error ([`Statement::contradicts`]).

use crate::path::{is_weak, looks_at_addresses};
use crate::places;
use craig_base::Budget;
use craig_cfa::interp::{self, Config, Overflow, Random, RunEnd};
use craig_cfa::pass::PrepareOptions;
use craig_cfa::{Op, Program};
use craig_encode::memory::{CellKind, Covered, RangeAccess};
use craig_encode::range::Ranges;
use craig_encode::{Arith, Options};
use craig_engine::{Control, Engine, Silent, Task};
use craig_report::reason;
use craig_verdict::certificate::{Certificate, Proof};
use craig_verdict::gate::Runs;
use craig_verdict::judge::REPLAY_STEPS;
use craig_verdict::{
    Counterexample, Outcome, Reason, Refusal, Verdict, Violation, flat, judge as judge_outcome, replay,
};
use std::sync::Arc;

/// Who said SAFE or UNSAFE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    pub engine: &'static str,
    pub arith: Arith,
    pub answer: Said,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// Of runs with signed overflow too?
    Safe { wraps: bool },
    /// Does the execution overflow?
    Unsafe { overflows: bool },
}

impl Statement {
    /// This answer is SAFE and the other one's replayed execution is among the runs that it speaks of.
    pub fn contradicts(&self, other: &Statement) -> bool {
        match (self.answer, other.answer) {
            (Said::Safe { wraps }, Said::Unsafe { overflows }) => wraps || !overflows,
            _ => false,
        }
    }
}

/// Does SAFE speak of runs with signed overflow too?
pub fn wraps(options: &Options) -> bool {
    options.signed_wrap || options.arith == Arith::Bv
}

#[derive(Debug, Clone, PartialEq)]
pub enum Judged {
    /// What the checker in flat memory said of it, and what runs of the last gate came by.
    Safe(Flat, Runs),
    /// Does the execution overflow?
    Unsafe {
        overflows: bool,
    },
    /// The trace runs into undefined behaviour.
    Undefined,
    /// The trace is no execution, as may be where the encoding is weak on purpose; see [`crate::path`].
    Weak(&'static str),
    Unknown(String),
    /// SAFE, but a run is at odds with the proof; what it did.
    Contradicted(String),
    /// UNSAFE, but the trace is no execution; what it is.
    NotReplayed(String),
    /// SAFE, but the checker refuses the certificate; why.
    Unproved(Refusal),
}

/// What the checker in flat memory says of a proof.
#[derive(Debug, Clone, PartialEq)]
pub enum Flat {
    Shown,
    /// Not the proof, but the program: its loops end there, without the error.
    Unwound,
    /// Neither the proof nor an error was found.
    NotShown,
    NotTranslatable,
    Undecided,
    /// The error is reached.
    Refuted(String),
}

/// Runs of the interpreter that may contradict a SAFE.
pub const RUNS: u64 = 20;
const STEPS: u64 = 20_000;

/// Units of work for an answer, and for checking it in flat memory.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub answer: u64,
    pub flat: u64,
}

/// What is said of an answer. A refused certificate is looked for once more in the whole program, as `auto` does.
pub fn judge(source: &Arc<Program>, seed: u64, engine: &Engine, options: &Options, limits: Limits) -> Judged {
    let passes = PrepareOptions::default();
    match judge_with(source, seed, engine, options, limits, &passes) {
        Judged::Unproved(_) => judge_with(source, seed, engine, options, limits, &passes.whole()),
        judged => judged,
    }
}

fn judge_with(
    source: &Arc<Program>,
    seed: u64,
    engine: &Engine,
    options: &Options,
    limits: Limits,
    passes: &PrepareOptions,
) -> Judged {
    let budget = Budget::unlimited().with_work(limits.answer);
    let unknown = |reason: &Reason| Judged::Unknown(reason::words(reason));
    let wrap = options.signed_wrap;
    let task = match Task::new(Arc::clone(source), wrap, passes, &budget) {
        Ok(task) => task,
        Err(reason) => return unknown(&reason),
    };
    let outcome = engine.run(&task, options.arith, &mut Control::new(&budget, &mut Silent));
    let found = match &outcome {
        Outcome::Unsafe(found) => Some(found.clone()),
        _ => None,
    };
    match judge_outcome(source, outcome, wrap, &budget) {
        Verdict::Unsafe(violation, _) => Judged::Unsafe { overflows: overflows(source, violation) },
        Verdict::Safe(certificate, checked) => match contradiction(source, seed, options) {
            Some(run) => Judged::Contradicted(format!("run {run} reaches the error")),
            None => Judged::Safe(in_flat_memory(source, certificate, wrap, limits.flat), checked.runs),
        },
        Verdict::Unknown(reason @ Reason::Contradiction(_)) => {
            Judged::Contradicted(reason::text(&reason, &source.source))
        }
        Verdict::Unknown(Reason::Certificate(why)) => Judged::Unproved(why),
        Verdict::Unknown(Reason::NotReplayed(finding)) if matches!(finding.end, RunEnd::Undefined(..)) => {
            Judged::Undefined
        }
        Verdict::Unknown(reason @ Reason::NotReplayed(_)) => {
            match found.and_then(|found| weakness(&task, &found)) {
                Some(weak) => Judged::Weak(weak),
                None => Judged::NotReplayed(reason::text(&reason, &source.source)),
            }
        }
        Verdict::Unknown(reason) => unknown(&reason),
    }
}

/// Does a replayed execution overflow on its way?
pub(crate) fn overflows(source: &Program, violation: Violation) -> bool {
    let plain = Violation { arith: Arith::Int, ..violation };
    replay(source, &plain, false, REPLAY_STEPS, &Budget::unlimited()).is_err()
}

/// What the checker in flat memory says. A proof that leans on where pointers point may fail there although all is well: it is refuted
/// if unwinding in flat memory reaches the error.
pub(crate) fn in_flat_memory(source: &Program, certificate: Certificate, wrap: bool, work: u64) -> Flat {
    let check = |certificate: &Certificate| {
        flat::check(source, certificate, wrap, &Budget::unlimited().with_work(work))
    };
    match check(&certificate) {
        flat::Outcome::Shown { .. } => Flat::Shown,
        flat::Outcome::NotTranslatable(_) => Flat::NotTranslatable,
        flat::Outcome::Undecided(_) => Flat::Undecided,
        flat::Outcome::NotShown { from, to } => {
            match check(&Certificate { proof: Proof::Unwinding, ..certificate }) {
                flat::Outcome::Shown { .. } => Flat::Unwound,
                flat::Outcome::NotShown { .. } => Flat::Refuted(format!("from {from:?} to {to:?}")),
                _ => Flat::NotShown,
            }
        }
    }
}

/// The seed of a run that reaches the error, wherever its objects lie.
pub(crate) fn contradiction(source: &Program, seed: u64, options: &Options) -> Option<u64> {
    let overflow = if wraps(options) { Overflow::Wrap } else { Overflow::Undefined };
    (0..RUNS).map(|i| seed.wrapping_mul(RUNS).wrapping_add(i)).find(|run| {
        let places = places::globals(source, *run);
        let config = Config { overflow, steps: STEPS, places, ..Config::default() };
        let run = interp::run(source, &config, &mut Random::new(*run), &mut std::io::sink());
        run.end == RunEnd::Error
    })
}

/// What the counterexample may owe its mistake to.
fn weakness(task: &Task, found: &Counterexample) -> Option<&'static str> {
    let source = &*task.source;
    let mut ranges = Ranges::default();
    let mut ops = found.steps.iter().map(|s| &source.edges[s.edge].op);
    if found.arith == Arith::Int && ops.any(|op| is_weak(source, op, &mut ranges)) {
        return Some("bit operations");
    }
    // Where objects lie the model says: nowhere, perhaps, in the run.
    let placed = !task.layout.sites().is_empty();
    if placed || found.steps.iter().any(|s| looks_at_addresses(source, &source.edges[s.edge].op)) {
        return Some("addresses");
    }
    if task.program().ops().any(|(op, _)| forgets(task, op, found.arith)) {
        return Some("ranges");
    }
    task.layout.cells().iter().any(|c| c.kind == CellKind::Bytes).then_some("memory")
}

/// Does a range of bytes end inside of a value, or is it filled with a byte that is not constant? Integers know nothing of such values; bit-vectors
/// of bit-fields of which some bits are covered.
fn forgets(task: &Task, op: &Op, arith: Arith) -> bool {
    let layout = &task.layout;
    let is_lost = |covered: Covered| match arith {
        Arith::Int => covered != Covered::Whole,
        Arith::Bv => covered == Covered::Part,
    };
    match *op {
        Op::MemSet { dst, byte, len } => {
            let open = arith == Arith::Int && task.program().exprs.as_bits(byte).is_none();
            open || match layout.range(dst, layout.known_length(len)) {
                RangeAccess::Leaves(leaves) => leaves.iter().any(|leaf| is_lost(leaf.covered)),
                RangeAccess::Cells { .. } => true,
            }
        }
        Op::MemCopy { dst, src, len, .. } => layout
            .known_length(len)
            .is_none_or(|len| layout.copy_range(dst, src, len).iter().any(|leaf| is_lost(leaf.to.covered))),
        _ => false,
    }
}
