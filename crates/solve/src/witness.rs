//! From an answer to a witness file, and back.

use crate::answer::Answer;
use craig_base::Budget;
use craig_cfa::Program;
use craig_cfa::interp::Run;
use craig_frontend::{Property, Reading};
use craig_verdict::judge::REPLAY_STEPS;
use craig_verdict::witness::{self, Claim, Witness};
use craig_verdict::{Checked, Reason, Verdict, prove, replay};

/// How a program is read, as witnesses record it.
pub fn recorded(reading: &Reading) -> witness::RecordedReading {
    witness::RecordedReading {
        data_model: format!("{:?}", reading.model).to_uppercase(),
        entry: reading.entry.clone(),
        property: match &reading.property {
            Property::Default => "default".into(),
            other => other.to_string(),
        },
        externs: format!("{:?}", reading.externs).to_lowercase(),
        malloc_may_fail: reading.malloc_may_fail,
        signed_wrap: reading.signed_wrap,
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
    budget: &Budget,
) -> Result<Confirmed, Reason> {
    match &witness.claim {
        Claim::Safe { certificate } => prove(source, certificate, signed_wrap, budget).map(Confirmed::Safe),
        Claim::Unsafe { violation } => replay(source, violation, signed_wrap, REPLAY_STEPS, budget)
            .map(|run| Confirmed::Unsafe(Box::new(run))),
    }
}
