//! An answer as text. The last line is the verdict.

use crate::assumption::{assumptions, of_proof, sentences};
use crate::{Cost, contract, contradiction, counterexample, invariant, json, reason};
use craig_solve::{Answer, ledger};
use craig_verdict::{Proof, Reason, Verdict};
use std::fmt::Write;

/// What is printed above the verdict: the proof with what it assumes, or the counterexample. `all`: nothing is left out.
pub fn evidence(answer: &Answer, all: bool) -> String {
    match &answer.verdict {
        Verdict::Safe(certificate, checked) => {
            let mut out = proof(answer, &certificate.proof);
            if let Some(outcome) = &checked.flat {
                let _ = writeln!(out, "{}", reason::flat_words(outcome));
            }
            out
        }
        Verdict::Unsafe(violation, run) => format!(
            "Counterexample of {} steps, replayed by the interpreter:\n{}{}{}{}",
            run.steps,
            counterexample::text(&answer.source, run, all),
            counterexample::failed_text(&answer.source, run),
            counterexample::places_text(&answer.source, violation),
            sentences(&answer.source.source, &ledger(answer))
        ),
        Verdict::Unknown(Reason::Contradiction(found)) => contradiction::text(&answer.source, found),
        Verdict::Unknown(_) => sentences(&answer.source.source, &ledger(answer)),
    }
}

/// The last line.
pub fn verdict(answer: &Answer) -> String {
    match &answer.verdict {
        Verdict::Unknown(why) => format!("UNKNOWN ({})", reason::text(why, &answer.source.source)),
        decided => decided.name().into(),
    }
}

/// The last line as SV-COMP wants it.
pub fn svcomp(answer: &Answer) -> String {
    match &answer.verdict {
        Verdict::Safe(..) => "TRUE".into(),
        Verdict::Unsafe(..) => format!("FALSE({})", answer.reading.property),
        Verdict::Unknown(_) => "UNKNOWN".into(),
    }
}

fn proof(answer: &Answer, proof: &Proof) -> String {
    let mut out = match proof {
        _ if answer.vacuous => "Nothing leads to the error (checked).\n".into(),
        Proof::Unwinding => "All runs end without error: loops unwound to their end (checked).\n".into(),
        Proof::Invariants(found) if found.invariants.is_empty() => {
            "No path leads to the error (checked).\n".to_string()
        }
        Proof::Invariants(found) => {
            let count = found.invariants.len();
            let word = if count == 1 { "invariant" } else { "invariants" };
            format!("Proof with {count} {word} (checked):\n{}", invariant::text(found))
        }
        Proof::Procedures(found) => contract::text(&answer.source, found, &[]),
        Proof::Relations(found) => {
            let lines = found.by.invariants().map(invariant::lines).unwrap_or_default();
            contract::text(&answer.source, &found.contracts, &lines)
        }
    };
    out.push_str(&of_proof(&answer.source.source, &ledger(answer)));
    out
}

/// What the attempt counted that the verdict comes from, and the cost of all.
pub fn stats(answer: &Answer, cost: &Cost) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "{name:<17} {value}");
    };
    if let Some(attempt) = answer.decisive() {
        row("engine", attempt.engine.into());
        row("arithmetic", attempt.arith.name().into());
    }
    for &(name, value) in answer.measured().map_or(&[][..], |attempt| &attempt.stats.counters) {
        row(name, json::number(value).to_string());
    }
    if let Verdict::Safe(_, checked) = &answer.verdict {
        row("checker_calls", checked.solver_calls.to_string());
        row("assumptions", assumptions(answer).len().to_string());
    }
    row("attempts", answer.attempts.len().to_string());
    if let Some(time) = answer.second_opinion {
        row("second_opinion_s", format!("{:.3}", time.as_secs_f64()));
    }
    row("wall_s", format!("{:.3}", cost.wall.as_secs_f64()));
    row("cpu_s", format!("{:.3}", cost.cpu.as_secs_f64()));
    row("max_rss_mb", format!("{:.1}", cost.peak_bytes as f64 / 1e6));
    out
}

/// One line about each attempt.
pub fn attempts(answer: &Answer) -> String {
    let mut out = String::new();
    for attempt in &answer.attempts {
        let end = match &attempt.reason {
            Some(why) => reason::text(why, &answer.source.source),
            None => "decided".into(),
        };
        let calls = attempt.stats.get("solver_calls").unwrap_or(0.0);
        let _ = writeln!(out, "{} ({}): {end}, {calls} solver calls", attempt.engine, attempt.arith.name());
    }
    out
}
