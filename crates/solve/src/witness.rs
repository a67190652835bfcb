//! From an answer to a witness file, and back.

use crate::answer::Answer;
use crate::strategy::Checking;
use craig_base::Budget;
use craig_cfa::Program;
use craig_cfa::interp::Run;
use craig_frontend::{Loops, Overflow, Property, Reading};
use craig_verdict::judge::REPLAY_STEPS;
use craig_verdict::witness::{self, Claim, Witness};
use craig_verdict::{Checked, Reason, Verdict, judge_in_flat_memory, prove, replay};

/// How a program is read, as witnesses record it.
pub fn recorded(reading: &Reading) -> witness::RecordedReading {
    let lower = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    witness::RecordedReading {
        data_model: format!("{:?}", reading.model).to_uppercase(),
        entry: reading.entry.clone(),
        property: match &reading.property {
            Property::Default => "default".into(),
            other => other.to_string(),
        },
        externs: lower(&reading.externs),
        malloc_may_fail: reading.malloc_may_fail,
        signed_wrap: reading.signed_wrap,
        overflow: (reading.overflow != Overflow::default()).then(|| lower(&reading.overflow)),
        loops: (reading.loops != Loops::default()).then(|| lower(&reading.loops)),
    }
}

/// The witness of a verdict; none for UNKNOWN.
pub fn of_answer(file: &str, reading: &Reading, answer: &Answer) -> Option<Witness> {
    let claim = match &answer.verdict {
        Verdict::Safe(certificate, _) => Claim::Safe { certificate: certificate.clone() },
        Verdict::Unsafe(violation, _) => Claim::Unsafe { violation: violation.clone() },
        Verdict::Unknown(_) => return None,
    };
    Some(Witness::new(file, recorded(reading), claim))
}

/// What stands behind a witness that holds.
#[derive(Debug)]
pub enum Confirmed {
    Safe(Checked),
    Unsafe(Box<Run>),
}

/// Checks the proof or replays the execution.
pub fn confirm(
    source: &Program,
    witness: &Witness,
    signed_wrap: bool,
    checking: Checking,
    budget: &Budget,
) -> Result<Confirmed, Reason> {
    match &witness.claim {
        Claim::Safe { certificate } => {
            let checked = prove(source, certificate, signed_wrap, budget)?;
            if checking == Checking::Cells {
                return Ok(Confirmed::Safe(checked));
            }
            let verdict = Verdict::Safe(certificate.clone(), checked);
            match judge_in_flat_memory(source, verdict, signed_wrap, budget) {
                Verdict::Safe(_, checked) => Ok(Confirmed::Safe(checked)),
                Verdict::Unknown(reason) => Err(reason),
                Verdict::Unsafe(_, run) => Ok(Confirmed::Unsafe(run)),
            }
        }
        Claim::Unsafe { violation } => replay(source, violation, signed_wrap, REPLAY_STEPS, budget)
            .map(|run| Confirmed::Unsafe(Box::new(run))),
    }
}
