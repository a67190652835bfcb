//! The object that `--json` prints, one a file. Its keys keep their names.

use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Debug, Default, Serialize)]
pub struct Record {
    pub file: String,
    pub verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub property: String,
    pub engine: String,
    pub arith: &'static str,
    pub wall_s: f64,
    pub cpu_s: f64,
    pub max_rss_mb: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayRecord>,
    /// The proof holds for runs without signed overflow in these lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumes_no_overflow_at: Vec<u32>,
    /// Functions without body whose result the program uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub externs: Vec<String>,
    /// The error cannot be reached because nothing leads there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub vacuous: bool,
    pub stats: Map<String, Value>,
}

#[derive(Debug, Serialize)]
pub struct CertificateRecord {
    pub checked: bool,
    pub kind: &'static str,
    pub locations: usize,
    pub solver_calls: u64,
}

#[derive(Debug, Serialize)]
pub struct ReplayRecord {
    pub ok: bool,
    pub steps: u64,
    /// What the nondeterministic functions returned, in order.
    pub values: Vec<String>,
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
pub fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
