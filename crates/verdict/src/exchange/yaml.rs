//! The YAML format 2.0 for witnesses: `invariant_set` and `violation_sequence`.
//!
//! Keys that are not known are passed over: tools add their own. What is known has to be as the format says.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub const VERSION: &str = "2.0";

/// Versions that say the same of what is read here.
const KNOWN: [&str; 3] = ["2.0", "2.1", "2.2"];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry_type", rename_all = "snake_case")]
pub enum Entry {
    InvariantSet { metadata: Metadata, content: Vec<InvariantItem> },
    ViolationSequence { metadata: Metadata, content: Vec<SegmentItem> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    pub format_version: String,
    pub uuid: String,
    pub creation_time: String,
    pub producer: Producer,
    pub task: Task,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Producer {
    pub name: String,
    pub version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_line: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub input_files: Vec<String>,
    /// SHA-256 by name.
    pub input_file_hashes: BTreeMap<String, String>,
    pub specification: String,
    pub data_model: String,
    pub language: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InvariantItem {
    pub invariant: Invariant,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invariant {
    #[serde(rename = "type")]
    pub kind: InvariantKind,
    pub location: Location,
    pub value: String,
    pub format: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvariantKind {
    LoopInvariant,
    LocationInvariant,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    pub file_name: String,
    pub line: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SegmentItem {
    pub segment: Vec<WaypointItem>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaypointItem {
    pub waypoint: Waypoint,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Waypoint {
    #[serde(rename = "type")]
    pub kind: WaypointKind,
    pub action: Action,
    pub location: Location,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraint: Option<Constraint>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaypointKind {
    Assumption,
    Branching,
    FunctionEnter,
    FunctionReturn,
    Target,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Follow,
    Avoid,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    pub value: ConstraintValue,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// An expression; of branches a truth value, or the value of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ConstraintValue {
    Truth(bool),
    Number(i64),
    Text(String),
}

impl Entry {
    pub fn metadata(&self) -> &Metadata {
        match self {
            Entry::InvariantSet { metadata, .. } | Entry::ViolationSequence { metadata, .. } => metadata,
        }
    }
}

/// Reads a file. What is wrong with it is told with its place.
pub fn read(text: &str) -> Result<Vec<Entry>, String> {
    let entries: Vec<Entry> = serde_norway::from_str(text).map_err(|e| e.to_string())?;
    let Some(first) = entries.first() else { return Err("there is no entry".into()) };
    let kind = std::mem::discriminant(first);
    if entries.iter().any(|entry| std::mem::discriminant(entry) != kind) {
        return Err("it speaks of invariants and of a violation".into());
    }
    for entry in &entries {
        let version = &entry.metadata().format_version;
        if !KNOWN.contains(&version.as_str()) {
            return Err(format!("version {version} of the format is not known"));
        }
        entry.check()?;
    }
    Ok(entries)
}

impl Entry {
    /// What the keys alone do not say.
    fn check(&self) -> Result<(), String> {
        match self {
            Entry::InvariantSet { content, .. } => {
                for InvariantItem { invariant } in content {
                    if invariant.format != "c_expression" {
                        let (line, format) = (invariant.location.line, &invariant.format);
                        return Err(format!("the invariant of line {line} is of format `{format}`"));
                    }
                }
                Ok(())
            }
            Entry::ViolationSequence { content, .. } => {
                let Some((last, before)) = content.split_last() else {
                    return Err("there is no segment".into());
                };
                let follows = |item: &&WaypointItem| item.waypoint.action == Action::Follow;
                for SegmentItem { segment } in content {
                    let ends = segment.last().is_some_and(|last| last.waypoint.action == Action::Follow);
                    if !ends || segment.iter().filter(follows).count() != 1 {
                        return Err("a segment has to end with its only waypoint to follow".into());
                    }
                }
                let is_target = |item: &WaypointItem| item.waypoint.kind == WaypointKind::Target;
                let final_ends = last.segment.last().is_some_and(is_target);
                if !final_ends || before.iter().any(|part| part.segment.iter().any(is_target)) {
                    return Err("the last segment, and no other, has to end with the target".into());
                }
                Ok(())
            }
        }
    }
}

pub fn write(entries: &[Entry]) -> String {
    serde_norway::to_string(entries).unwrap_or_default()
}
