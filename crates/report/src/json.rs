//! An answer as the object that `--json` prints, one a file. Its keys keep their names; new ones may be added.

use crate::assumption::{Assumption, assumptions, overflow_lines};
use crate::counterexample::{self, Row};
use crate::{Cost, contract, contradiction, invariant, reason};
use craig_base::Stop;
use craig_solve::{Answer, Attempt, Reading};
use craig_verdict::{Proof, Reason, Verdict, flat};
use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Debug, Serialize)]
pub struct Record {
    pub file: String,
    pub verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_key: Option<&'static str>,
    pub property: String,
    /// Of the attempt that the verdict comes from.
    pub engine: &'static str,
    pub arith: &'static str,
    pub wall_s: f64,
    pub cpu_s: f64,
    /// Processor time of that which the second opinion took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_opinion_s: Option<f64>,
    pub max_rss_mb: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayRecord>,
    /// The run that is at odds with the proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<contradiction::Record>,
    /// What the verdict leans on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<Assumption>,
    /// The proof holds for runs without signed overflow in these lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumes_no_overflow_at: Vec<u32>,
    /// Functions without body whose result the program uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub externs: Vec<String>,
    /// The error cannot be reached because nothing leads there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub vacuous: bool,
    /// The formulas of the proof, as C.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<invariant::Line>,
    /// What the proof says of procedures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contracts: Vec<contract::Contract>,
    /// The run that reaches the error, by source lines; of a long one the beginning and the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<Row>,
    pub stats: Map<String, Value>,
    /// All attempts, if there was more than one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptRecord>,
}

#[derive(Debug, Serialize)]
pub struct CertificateRecord {
    pub checked: bool,
    pub kind: &'static str,
    pub locations: usize,
    pub solver_calls: u64,
    /// What the checker in flat memory said, if it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flat: Option<FlatRecord>,
}

#[derive(Debug, Serialize)]
pub struct FlatRecord {
    pub outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver_calls: Option<u64>,
}

#[derive(Debug, Serialize)]
pub struct ReplayRecord {
    pub ok: bool,
    pub steps: u64,
    /// What does not hold at the end, in the words of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What the nondeterministic functions returned, in order.
    pub values: Vec<String>,
    /// Where objects lie, if the program looks at that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<counterexample::Place>,
}

#[derive(Debug, Serialize)]
pub struct AttemptRecord {
    pub engine: &'static str,
    pub arith: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_key: Option<&'static str>,
    pub stats: Map<String, Value>,
}

impl Record {
    /// `all`: nothing is left out of a long run.
    pub fn new(file: &str, answer: &Answer, cost: &Cost, all: bool) -> Record {
        let source = &answer.source;
        let decisive = answer.decisive();
        let (text, key) = told(
            answer,
            match &answer.verdict {
                Verdict::Unknown(reason) => Some(reason),
                _ => None,
            },
        );
        let mut record = Record {
            verdict: answer.verdict.name(),
            reason: text,
            reason_key: key,
            engine: decisive.map_or("none", |a| a.engine),
            arith: decisive.map_or("none", |a| a.arith.name()),
            assumptions: assumptions(answer),
            assumes_no_overflow_at: overflow_lines(answer),
            externs: answer.externs.iter().map(ToString::to_string).collect(),
            second_opinion_s: answer.second_opinion.map(|time| round(time.as_secs_f64())),
            stats: answer.measured().map(counters).unwrap_or_default(),
            ..Record::empty(file, &answer.reading, cost)
        };
        match &answer.verdict {
            Verdict::Safe(certificate, checked) => {
                record.vacuous = answer.vacuous;
                let kind = match &certificate.proof {
                    Proof::Unwinding => "unwinding",
                    Proof::Invariants(proof) => {
                        record.invariants = invariant::lines(proof);
                        "invariants"
                    }
                    Proof::Procedures(proof) => {
                        (record.contracts, record.invariants) = contract::all(source, proof);
                        "procedures"
                    }
                    Proof::Relations(proof) => {
                        record.contracts = contract::all(source, &proof.contracts).0;
                        record.invariants = proof.by.invariants().map(invariant::lines).unwrap_or_default();
                        "relations"
                    }
                };
                let (locations, solver_calls) = (checked.locations, checked.solver_calls);
                record.certificate = Some(CertificateRecord {
                    checked: true,
                    kind,
                    locations,
                    solver_calls,
                    flat: checked.flat.as_deref().map(flat_record),
                });
            }
            Verdict::Unsafe(violation, run) => {
                let values = counterexample::nondet_values(source, run);
                let places = counterexample::places(source, violation);
                let failed = counterexample::failed(source, run);
                record.replay = Some(ReplayRecord { ok: true, steps: run.steps, failed, values, places });
                record.trace = counterexample::shown(counterexample::rows(source, run), all).0;
            }
            Verdict::Unknown(Reason::Contradiction(found)) => {
                record.contradiction = Some(contradiction::Record::new(source, found));
            }
            Verdict::Unknown(_) => {}
        }
        if answer.attempts.len() > 1 {
            record.attempts = answer.attempts.iter().map(|a| attempt(answer, a)).collect();
        }
        record
    }

    /// Of a file that nothing is known of but why: the limit came first.
    pub fn stopped(file: &str, reading: &Reading, stop: Stop, cost: &Cost) -> Record {
        Record {
            reason: Some(stop.to_string()),
            reason_key: Some(Reason::Stopped(stop).key()),
            ..Record::empty(file, reading, cost)
        }
    }

    fn empty(file: &str, reading: &Reading, cost: &Cost) -> Record {
        Record {
            file: file.into(),
            verdict: "UNKNOWN",
            reason: None,
            reason_key: None,
            property: reading.property.to_string(),
            engine: "none",
            arith: "none",
            wall_s: round(cost.wall.as_secs_f64()),
            cpu_s: round(cost.cpu.as_secs_f64()),
            second_opinion_s: None,
            max_rss_mb: round(cost.peak_bytes as f64 / 1e6),
            certificate: None,
            replay: None,
            contradiction: None,
            assumptions: Vec::new(),
            assumes_no_overflow_at: Vec::new(),
            externs: Vec::new(),
            vacuous: false,
            invariants: Vec::new(),
            contracts: Vec::new(),
            trace: Vec::new(),
            stats: Map::new(),
            attempts: Vec::new(),
        }
    }
}

fn flat_record(outcome: &flat::Outcome) -> FlatRecord {
    let (why, solver_calls) = match outcome {
        flat::Outcome::Shown { solver_calls } => (None, Some(*solver_calls)),
        flat::Outcome::NotShown { .. } => (Some(reason::flat_words(outcome)), None),
        flat::Outcome::NotTranslatable(why) => (Some(why.to_string()), None),
        flat::Outcome::Undecided(why) => (Some(reason::words(why)), None),
    };
    FlatRecord { outcome: outcome.key(), why, solver_calls }
}

fn attempt(answer: &Answer, attempt: &Attempt) -> AttemptRecord {
    let (reason, reason_key) = told(answer, attempt.reason.as_ref());
    let (engine, arith) = (attempt.engine, attempt.arith.name());
    AttemptRecord { engine, arith, reason, reason_key, stats: counters(attempt) }
}

fn told(answer: &Answer, reason: Option<&Reason>) -> (Option<String>, Option<&'static str>) {
    (reason.map(|r| reason::text(r, &answer.source.source)), reason.map(Reason::key))
}

fn counters(attempt: &Attempt) -> Map<String, Value> {
    attempt.stats.counters.iter().map(|(name, value)| ((*name).into(), number(*value))).collect()
}

/// A counter as a number without needless fraction.
pub fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        Value::from(value as i64)
    } else {
        Value::from(round(value))
    }
}

/// Seconds and megabytes to a thousandth.
fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
