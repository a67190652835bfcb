//! What a verdict leans on, for tools and for people.

use craig_base::Source;
use craig_solve::{Answer, ledger};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// One thing that is assumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assumption {
    /// `signed-overflow`, `division-by-zero`, `shift-amount`, `invalid-access`, `extern`, `allocation`, `asm`, `volatile`, `handler`, `format`,
    /// `environment`.
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    pub text: String,
}

/// All that the answer leans on.
pub fn assumptions(answer: &Answer) -> Vec<Assumption> {
    let source = &answer.source.source;
    let mut found: Vec<Assumption> = Vec::new();
    for assumed in ledger(answer) {
        let position = assumed.span.map(|span| source.position(span));
        let (file, line) = position.map_or((None, None), |at| (Some(at.file.to_string()), Some(at.line)));
        let assumption = Assumption { kind: assumed.kind, file, line, text: assumed.text };
        if !found.contains(&assumption) {
            found.push(assumption);
        }
    }
    found
}

/// The ledger of a proof in sentences.
pub fn of_proof(source: &Source, all: &[craig_solve::Assumption]) -> String {
    if all.is_empty() { "Nothing is assumed.\n".into() } else { sentences(source, all) }
}

/// A ledger in sentences, one for each that says the same of other places.
pub fn sentences(source: &Source, all: &[craig_solve::Assumption]) -> String {
    let mut out = String::new();
    for (i, assumed) in all.iter().enumerate() {
        let same =
            |other: &&craig_solve::Assumption| (other.kind, &other.text) == (assumed.kind, &assumed.text);
        if all[..i].iter().any(|other| same(&other)) {
            continue;
        }
        let lines = lines(source, all.iter().filter(same));
        let _ = match (assumed.is_absence(), lines_text(&lines)) {
            (true, Some(lines)) => writeln!(out, "Assuming {} at {lines}.", assumed.text),
            (false, Some(lines)) => writeln!(out, "Assuming that {} ({lines}).", assumed.text),
            (true, None) => writeln!(out, "Assuming {}.", assumed.text),
            (false, None) => writeln!(out, "Assuming that {}.", assumed.text),
        };
    }
    out
}

fn lines<'a>(source: &Source, all: impl Iterator<Item = &'a craig_solve::Assumption>) -> BTreeSet<u32> {
    all.filter_map(|assumed| assumed.span).map(|span| source.line(span)).collect()
}

/// Numbers of lines that are listed.
const LINES: usize = 12;

fn lines_text(lines: &BTreeSet<u32>) -> Option<String> {
    let listed: Vec<String> = lines.iter().take(LINES).map(u32::to_string).collect();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    match lines.len() {
        0 => None,
        n if n > LINES => Some(format!("{word} {} and {} more", listed.join(", "), n - LINES)),
        _ => Some(format!("{word} {}", listed.join(", "))),
    }
}

/// The lines where a proof assumes that nothing overflows, ascending.
pub fn overflow_lines(answer: &Answer) -> Vec<u32> {
    let overflows = ledger(answer).into_iter().filter(|assumed| assumed.kind == "signed-overflow");
    let lines: BTreeSet<u32> =
        overflows.filter_map(|assumed| assumed.span).map(|span| answer.source.source.line(span)).collect();
    lines.into_iter().collect()
}
