//! From what an engine says to a verdict that stands on its own.

use crate::assumed;
use crate::certificate::Certificate;
use crate::check::{Checked, Ground};
use crate::flat;
use crate::gate;
use crate::outcome::{Outcome, Reason, Refusal};
use crate::replay::{Violation, replay};
use craig_base::{Budget, Timer};
use craig_cfa::Program;
use craig_cfa::interp::Run;

/// An answer with its proof. There is no other way to say SAFE or UNSAFE.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// A certificate that the checker accepted and no run contradicts.
    Safe(Certificate, Checked),
    /// A run of the interpreter that reached the error.
    Unsafe(Violation, Box<Run>),
    Unknown(Reason),
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Safe(..) => "SAFE",
            Verdict::Unsafe(..) => "UNSAFE",
            Verdict::Unknown(_) => "UNKNOWN",
        }
    }
}

/// Steps that a replay may take.
pub const REPLAY_STEPS: u64 = 200_000_000;

/// Checks a certificate, and lets runs of the program have the last word.
pub fn prove(
    source: &Program,
    certificate: &Certificate,
    signed_wrap: bool,
    budget: &Budget,
) -> Result<Checked, Reason> {
    let source = assumed::program(source, certificate, budget)?;
    let ground = Ground::new(&source, certificate, signed_wrap, budget)?;
    prove_on(&ground, &source, certificate, signed_wrap, budget)
}

fn prove_on(
    ground: &Ground<'_>,
    source: &Program,
    certificate: &Certificate,
    signed_wrap: bool,
    budget: &Budget,
) -> Result<Checked, Reason> {
    let checked = ground.check(certificate, budget)?;
    let timer = Timer::start();
    let runs = gate::pass(source, ground, certificate, signed_wrap, budget)?;
    Ok(Checked { runs, gate: timer.elapsed(), ..checked })
}

/// Checks the certificate of an engine. The engine worked on a program in which passes left fewer accesses; the checker sees all of them, and
/// where they are of several kinds it may know less of memory. This is no mistake.
fn prove_engine(
    source: &Program,
    certificate: &Certificate,
    signed_wrap: bool,
    budget: &Budget,
) -> Result<Checked, Reason> {
    use Refusal::{NotImplied, ReachesError, Symbol};
    let source = assumed::program(source, certificate, budget)?;
    let ground = Ground::new(&source, certificate, signed_wrap, budget)?;
    prove_on(&ground, &source, certificate, signed_wrap, budget).map_err(|reason| match reason {
        Reason::Certificate(NotImplied { .. } | ReachesError | Symbol(_)) if ground.has_unknown_memory() => {
            Reason::UnknownMemory
        }
        other => other,
    })
}

/// Checks the certificate, replays the counterexample.
pub fn judge(source: &Program, outcome: Outcome, signed_wrap: bool, budget: &Budget) -> Verdict {
    judge_within(REPLAY_STEPS, source, outcome, signed_wrap, budget)
}

/// The same with so many steps for the replay.
pub fn judge_within(
    steps: u64,
    source: &Program,
    outcome: Outcome,
    signed_wrap: bool,
    budget: &Budget,
) -> Verdict {
    match outcome {
        Outcome::Safe(certificate) => match prove_engine(source, &certificate, signed_wrap, budget) {
            Ok(checked) => Verdict::Safe(certificate, checked),
            Err(reason) => Verdict::Unknown(reason),
        },
        Outcome::Unsafe(found) => {
            let violation = Violation::new(source, &found);
            match replay(source, &violation, signed_wrap, steps, budget) {
                Ok(run) => Verdict::Unsafe(violation, Box::new(run)),
                Err(reason) => Verdict::Unknown(reason),
            }
        }
        Outcome::Unknown(reason) => Verdict::Unknown(reason),
    }
}

/// Checks the proof behind SAFE once more, in flat memory. A proof that fails there is not believed; one that cannot be told there, or is
/// not decided, stays what it was.
pub fn judge_in_flat_memory(
    source: &Program,
    verdict: Verdict,
    signed_wrap: bool,
    budget: &Budget,
) -> Verdict {
    let Verdict::Safe(certificate, mut checked) = verdict else { return verdict };
    match flat::check(source, &certificate, signed_wrap, budget) {
        flat::Outcome::NotShown { from, to } => Verdict::Unknown(Reason::FlatMemory { from, to }),
        outcome => {
            checked.flat = Some(Box::new(outcome));
            Verdict::Safe(certificate, checked)
        }
    }
}
