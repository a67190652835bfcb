//! The GraphML format 1.0 for witnesses, written only: an automaton with the same content as a witness in YAML.
//!
//! The automaton of a proof goes from its entry to a state for each invariant, over the head of the loop. That of a violation is a
//! path: an edge for each result of a function without body, and one to the error.

use super::yaml::{ConstraintValue, Entry, InvariantKind, Metadata, WaypointKind};
use std::fmt::Write;

/// Keys: name, what has it, type, default.
const KEYS: [(&str, &str, &str, Option<&str>); 18] = [
    ("witness-type", "graph", "string", None),
    ("sourcecodelang", "graph", "string", None),
    ("producer", "graph", "string", None),
    ("specification", "graph", "string", None),
    ("programfile", "graph", "string", None),
    ("programhash", "graph", "string", None),
    ("architecture", "graph", "string", None),
    ("creationtime", "graph", "string", None),
    ("entry", "node", "boolean", Some("false")),
    ("violation", "node", "boolean", Some("false")),
    ("invariant", "node", "string", None),
    ("invariant.scope", "node", "string", None),
    ("startline", "edge", "int", None),
    ("enterLoopHead", "edge", "boolean", Some("false")),
    ("enterFunction", "edge", "string", None),
    ("assumption", "edge", "string", None),
    ("assumption.scope", "edge", "string", None),
    ("assumption.resultfunction", "edge", "string", None),
];

/// An entry as an automaton; `functions`: whose results its waypoints speak of, in order.
pub fn write(entry: &Entry, functions: &[String]) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n",
    );
    for (name, of, ty, default) in KEYS {
        let start = format!("  <key id=\"{name}\" attr.name=\"{name}\" attr.type=\"{ty}\" for=\"{of}\"");
        let _ = match default {
            Some(value) => writeln!(out, "{start}>\n    <default>{value}</default>\n  </key>"),
            None => writeln!(out, "{start}/>"),
        };
    }
    let violated = matches!(entry, Entry::ViolationSequence { .. });
    out.push_str("  <graph edgedefault=\"directed\">\n");
    head(&mut out, entry.metadata(), violated);
    node(&mut out, 0, &[("entry", "true")]);
    match entry {
        Entry::InvariantSet { content, .. } => {
            for (number, item) in (1..).zip(content) {
                let (invariant, at) = (&item.invariant, &item.invariant.location);
                let scope = at.function.as_deref().unwrap_or("main");
                node(&mut out, number, &[("invariant", &invariant.value), ("invariant.scope", scope)]);
                let line = at.line.to_string();
                let mut data = vec![("startline", line.as_str()), ("enterFunction", scope)];
                if invariant.kind == InvariantKind::LoopInvariant {
                    data.push(("enterLoopHead", "true"));
                }
                edge(&mut out, 0, number, &data);
            }
        }
        Entry::ViolationSequence { content, .. } => {
            let mut functions = functions.iter();
            let waypoints = content.iter().filter_map(|item| item.segment.last());
            for (number, item) in (1..).zip(waypoints) {
                let (waypoint, at) = (&item.waypoint, &item.waypoint.location);
                let line = at.line.to_string();
                let mut data = vec![("startline", line.as_str())];
                let is_target = waypoint.kind == WaypointKind::Target;
                let value = waypoint.constraint.as_ref().map(|constraint| &constraint.value);
                if let Some(ConstraintValue::Text(text)) = value {
                    data.push(("assumption", text));
                    data.extend(at.function.as_deref().map(|scope| ("assumption.scope", scope)));
                    let function = functions.next().map(|name| ("assumption.resultfunction", name.as_str()));
                    data.extend(function);
                }
                node(&mut out, number, if is_target { &[("violation", "true")] } else { &[] });
                edge(&mut out, number - 1, number, &data);
            }
        }
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}

fn head(out: &mut String, metadata: &Metadata, violated: bool) {
    let task = &metadata.task;
    let producer = format!("{} {}", metadata.producer.name, metadata.producer.version);
    let (file, hash) = task.input_file_hashes.iter().next().map_or(("", ""), |(file, hash)| (file, hash));
    let data = [
        ("witness-type", if violated { "violation_witness" } else { "correctness_witness" }),
        ("sourcecodelang", task.language.as_str()),
        ("producer", producer.as_str()),
        ("specification", task.specification.as_str()),
        ("programfile", file),
        ("programhash", hash),
        ("architecture", if task.data_model == "LP64" { "64bit" } else { "32bit" }),
        ("creationtime", metadata.creation_time.as_str()),
    ];
    data.iter().for_each(|(key, value)| datum(out, "    ", key, value));
}

fn node(out: &mut String, number: usize, data: &[(&str, &str)]) {
    let _ = writeln!(out, "    <node id=\"q{number}\">");
    data.iter().for_each(|(key, value)| datum(out, "      ", key, value));
    out.push_str("    </node>\n");
}

fn edge(out: &mut String, from: usize, to: usize, data: &[(&str, &str)]) {
    let _ = writeln!(out, "    <edge id=\"e{to}\" source=\"q{from}\" target=\"q{to}\">");
    data.iter().for_each(|(key, value)| datum(out, "      ", key, value));
    out.push_str("    </edge>\n");
}

fn datum(out: &mut String, indent: &str, key: &str, value: &str) {
    let value = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(out, "{indent}<data key=\"{key}\">{value}</data>");
}
