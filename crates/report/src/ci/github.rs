//! Problem lines as workflows of GitHub read them: they become annotations of the changed files.

use super::{Finding, Outcome, Place, assumed};
use std::fmt::Write;

/// The lines of one program; none for a proof that assumes nothing.
pub fn text(finding: &Finding) -> String {
    let mut out = String::new();
    let mut line = |level: &str, at: Option<&Place>, message: &str| {
        let (file, place) = match at {
            Some(at) => (at.file.as_str(), format!(",line={},col={}", at.line, at.column)),
            None => (finding.file.as_str(), String::new()),
        };
        let title = property(&format!("craig: {}", finding.verdict()));
        let _ = writeln!(out, "::{level} file={}{place},title={title}::{}", property(file), escape(message));
    };
    match &finding.outcome {
        Outcome::Safe => {}
        Outcome::Unsafe { at, .. } => line("error", Some(at), &finding.message()),
        Outcome::Unknown { at, .. } => line("warning", at.as_ref(), &finding.message()),
        Outcome::Rejected(wrong) => {
            wrong.iter().for_each(|(message, at)| line("error", at.as_ref(), message));
        }
    }
    for assumption in &finding.assumptions {
        let at = assumption.line.map(|number| Place {
            file: assumption.file.clone().unwrap_or_else(|| finding.file.clone()),
            line: number,
            column: 1,
        });
        line("notice", at.as_ref(), &assumed(assumption));
    }
    out
}

fn escape(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escape(text).replace(':', "%3A").replace(',', "%2C")
}
