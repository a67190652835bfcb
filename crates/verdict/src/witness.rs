//! Witness files: a verdict with its proof, as JSON. `docs/witness.md` describes the format.

use crate::certificate::Certificate;
use crate::replay::Violation;
use serde::{Deserialize, Serialize};

pub const FORMAT: &str = "craig-witness";
pub const VERSION: u32 = 2;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The program as it was named.
    pub file: String,
    /// How it was read; another reading is another program.
    pub reading: RecordedReading,
    #[serde(flatten)]
    pub claim: Claim,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedReading {
    pub data_model: String,
    /// None: the usual one of the language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    pub property: String,
    pub externs: String,
    pub malloc_may_fail: bool,
    pub signed_wrap: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict")]
pub enum Claim {
    #[serde(rename = "SAFE")]
    Safe { certificate: Certificate },
    #[serde(rename = "UNSAFE")]
    Unsafe { violation: Violation },
}

impl Witness {
    pub fn new(file: &str, reading: RecordedReading, claim: Claim) -> Witness {
        Witness { format: FORMAT.into(), version: VERSION, file: file.into(), reading, claim }
    }

    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a file of this format and version.
    pub fn read(text: &str) -> Result<Witness, String> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|e| format!("this is no JSON: {e}"))?;
        if value.get("format").and_then(|f| f.as_str()) != Some(FORMAT) {
            return Err(format!("this is no witness of craig: `\"format\": \"{FORMAT}\"` is missing"));
        }
        match value.get("version").and_then(|v| v.as_u64()) {
            Some(version) if version == u64::from(VERSION) => {}
            Some(other) => return Err(format!("version {other} of the format is not known")),
            None => return Err("the version of the format is missing".into()),
        }
        serde_json::from_value(value).map_err(|e| format!("the witness is broken: {e}"))
    }
}
