//! Several programs in one table.

use super::{Finding, Outcome};
use std::fmt::Write;

/// How many of each verdict, and a row for each program.
pub fn text(findings: &[Finding]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for verdict in ["SAFE", "UNSAFE", "UNKNOWN", "REFUSED"] {
        let count = findings.iter().filter(|finding| finding.verdict() == verdict).count();
        if count > 0 {
            counts.push((verdict, count));
        }
    }
    let counts: Vec<String> = counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    let width = findings.iter().map(|finding| finding.file.chars().count()).max().unwrap_or(0).min(60);
    let mut out = format!("{} programs: {}\n", findings.len(), counts.join(", "));
    for finding in findings {
        let more = match &finding.outcome {
            Outcome::Safe => match finding.assumptions.len() {
                0 => String::new(),
                1 => "1 assumption".into(),
                several => format!("{several} assumptions"),
            },
            Outcome::Unsafe { at, .. } => format!("line {}", at.line),
            Outcome::Unknown { reason, .. } => reason.clone(),
            Outcome::Rejected(wrong) => wrong.first().map_or(String::new(), |(message, _)| message.clone()),
        };
        let more: String = more.chars().take(80).collect();
        let seconds = finding.wall.as_secs_f64();
        let row = format!("  {:<width$}  {:<7}  {seconds:>8.2} s  {more}", finding.file, finding.verdict());
        let _ = writeln!(out, "{}", row.trim_end());
    }
    out
}
