//! What a verdict leans on.

use craig_frontend::Externs;
use craig_solve::Answer;
use serde::Serialize;
use std::collections::BTreeSet;

/// One thing that is assumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assumption {
    /// `signed-overflow` or `extern`.
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
    for span in answer.may_overflow() {
        let position = source.position(*span);
        let assumption = Assumption {
            kind: "signed-overflow",
            file: Some(position.file.to_string()),
            line: Some(position.line),
            text: "no signed overflow".into(),
        };
        if !found.contains(&assumption) {
            found.push(assumption);
        }
    }
    found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    found.extend(answer.externs.iter().map(|name| Assumption {
        kind: "extern",
        file: None,
        line: None,
        text: format!("{name} {}", effect(answer.reading.externs)),
    }));
    found
}

/// What functions without body do.
pub fn effect(externs: Externs) -> &'static str {
    match externs {
        Externs::Pure => "returns any value and changes nothing",
        Externs::Havoc => "returns any value and may change globals and what its arguments point to",
        Externs::Error => "is not modelled",
    }
}

/// The lines where a proof assumes that nothing overflows, ascending.
pub fn overflow_lines(answer: &Answer) -> Vec<u32> {
    let line = |span: &craig_base::Span| answer.source.source.line(*span);
    answer.may_overflow().iter().map(line).collect::<BTreeSet<u32>>().into_iter().collect()
}
