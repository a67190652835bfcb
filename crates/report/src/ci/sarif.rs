//! SARIF 2.1.0, the format of static analysis that code hosts and editors show.

use super::{Finding, Outcome, Place, assumed};
use crate::counterexample::Row;
use serde_json::{Value, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// One log for all programs.
pub fn text(findings: &[Finding]) -> String {
    let log = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run(findings)] });
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

fn run(findings: &[Finding]) -> Value {
    let mut rules: Vec<&str> = findings.iter().map(|finding| finding.property.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let rule = |id: &&str| {
        let text = format!("No execution violates {id}.");
        json!({ "id": id, "shortDescription": { "text": text } })
    };
    let mut notifications = Vec::new();
    for finding in findings {
        let Outcome::Rejected(wrong) = &finding.outcome else { continue };
        for (message, at) in wrong {
            let at = at.clone().unwrap_or_else(|| whole(finding));
            notifications.push(json!({
                "level": "error",
                "message": { "text": message },
                "locations": [location(&at)],
            }));
        }
    }
    let driver = json!({
        "name": "craig",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(rule).collect::<Vec<Value>>(),
    });
    json!({
        "tool": { "driver": driver },
        "columnKind": "unicodeCodePoints",
        "invocations": [{
            "executionSuccessful": notifications.is_empty(),
            "toolExecutionNotifications": notifications,
        }],
        "results": findings.iter().filter_map(result).collect::<Vec<Value>>(),
    })
}

fn result(finding: &Finding) -> Option<Value> {
    let (kind, level) = match finding.outcome {
        Outcome::Safe => ("pass", "none"),
        Outcome::Unsafe { .. } => ("fail", "error"),
        Outcome::Unknown { .. } => ("open", "none"),
        Outcome::Rejected(_) => return None,
    };
    let at = finding.place().cloned().unwrap_or_else(|| whole(finding));
    let mut result = json!({
        "ruleId": finding.property,
        "kind": kind,
        "level": level,
        "message": { "text": finding.message() },
        "locations": [location(&at)],
        "properties": { "file": finding.file, "seconds": finding.wall.as_secs_f64() },
    });
    if let Outcome::Unknown { key, .. } = finding.outcome {
        result["properties"]["reason"] = json!(key);
    }
    if let Outcome::Unsafe { at, steps } = &finding.outcome {
        let flow: Vec<Value> = (1..).zip(steps).map(|(order, row)| step(&at.file, order, row)).collect();
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
    }
    let notes: Vec<Value> = (1..)
        .zip(&finding.assumptions)
        .map(|(id, assumption)| {
            let at = Place {
                file: assumption.file.clone().unwrap_or_else(|| finding.file.clone()),
                line: assumption.line.unwrap_or(1),
                column: 1,
            };
            let mut note = location(&at);
            note["id"] = json!(id);
            note["message"] = json!({ "text": assumed(assumption) });
            note
        })
        .collect();
    if !notes.is_empty() {
        result["relatedLocations"] = json!(notes);
    }
    Some(result)
}

fn step(file: &str, order: u32, row: &Row) -> Value {
    let at = Place { file: file.into(), line: row.line, column: 1 };
    let mut location = location(&at);
    let values = row.values.join(", ");
    let text = if values.is_empty() { row.text.clone() } else { format!("{}    {values}", row.text) };
    location["message"] = json!({ "text": text });
    let mut state = serde_json::Map::new();
    for value in &row.values {
        if let Some((name, value)) = value.split_once(" = ") {
            state.insert(name.into(), json!({ "text": value }));
        }
    }
    json!({
        "location": location,
        "executionOrder": order,
        "nestingLevel": row.depth,
        "state": state,
    })
}

fn location(at: &Place) -> Value {
    let region = json!({ "startLine": at.line.max(1), "startColumn": at.column.max(1) });
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri(&at.file) }, "region": region } })
}

fn whole(finding: &Finding) -> Place {
    Place { file: finding.file.clone(), line: 1, column: 1 }
}

/// A path as a relative or absolute reference.
fn uri(path: &str) -> String {
    let mut out = String::new();
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte.into())
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
