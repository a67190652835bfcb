//! JUnit XML: programs are test cases, UNSAFE a failure, UNKNOWN skipped, what is no program an error.

use super::{Finding, Outcome, assumed};
use std::fmt::Write;
use std::time::Duration;

pub fn text(findings: &[Finding]) -> String {
    let count = |wanted: fn(&Outcome) -> bool| findings.iter().filter(|f| wanted(&f.outcome)).count();
    let failures = count(|outcome| matches!(outcome, Outcome::Unsafe { .. }));
    let errors = count(|outcome| matches!(outcome, Outcome::Rejected(_)));
    let skipped = count(|outcome| matches!(outcome, Outcome::Unknown { .. }));
    let time: Duration = findings.iter().map(|finding| finding.wall).sum();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{:.3}\"",
        findings.len(),
        time.as_secs_f64()
    );
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites {counts}>\n  <testsuite name=\"craig\" {counts}>");
    for finding in findings {
        case(&mut out, finding);
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn case(out: &mut String, finding: &Finding) {
    let message = escape(&finding.message());
    let _ = writeln!(
        out,
        "    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3}\">",
        escape(&finding.file),
        escape(&finding.property),
        finding.wall.as_secs_f64()
    );
    match &finding.outcome {
        Outcome::Safe => {}
        Outcome::Unknown { .. } => {
            let _ = writeln!(out, "      <skipped message=\"{message}\"/>");
        }
        Outcome::Unsafe { at, steps } => {
            let mut trace = format!("{}:{}:{}\n", at.file, at.line, at.column);
            for row in steps {
                let values = row.values.join(", ");
                let line =
                    format!("{:>5} | {}{} | {values}", row.line, "  ".repeat(row.depth.min(30)), row.text);
                let _ = writeln!(trace, "{}", line.trim_end_matches([' ', '|']));
            }
            let trace = escape(&trace);
            let _ = writeln!(out, "      <failure message=\"{message}\" type=\"UNSAFE\">{trace}</failure>");
        }
        Outcome::Rejected(wrong) => {
            let said: Vec<String> = wrong
                .iter()
                .map(|(message, at)| match at {
                    Some(at) => format!("{}:{}:{}: {message}", at.file, at.line, at.column),
                    None => message.clone(),
                })
                .collect();
            let said = escape(&said.join("\n"));
            let _ = writeln!(out, "      <error message=\"{message}\" type=\"REFUSED\">{said}</error>");
        }
    }
    if !finding.assumptions.is_empty() {
        let said: Vec<String> = finding.assumptions.iter().map(assumed).collect();
        let _ = writeln!(out, "      <system-out>{}</system-out>", escape(&said.join("\n")));
    }
    out.push_str("    </testcase>\n");
}

/// Text for attributes and elements; what XML has no place for is left out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
