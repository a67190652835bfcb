//! Witness files: a verdict with its proof, as JSON. `docs/witness.md` describes the format.

use crate::certificate::Certificate;
use crate::replay::Violation;
use crate::tree::{Document, Node};
use craig_cfa::DataModel;
use serde::Serialize;

pub const FORMAT: &str = "craig-witness";
pub const VERSION: u32 = 2;

#[derive(Debug, Clone, PartialEq, Serialize)]
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordedReading {
    pub data_model: String,
    /// None: the usual one of the language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    pub property: String,
    pub externs: String,
    pub malloc_may_fail: bool,
    pub signed_wrap: bool,
    /// None: the usual reading. Of Remopla.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overflow: Option<String>,
    /// None: the usual reading. Of Remopla.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loops: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
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

    /// Reads a file of this format and version. What is wrong with it is told in the words of the format, with its place.
    pub fn read(text: &str) -> Result<Witness, String> {
        let document = Document::read(text)?;
        let root = document.root();
        let format = root.find("format").and_then(|format| format.text().ok());
        if format != Some(FORMAT) {
            return Err(format!("this is no witness of craig: `\"format\": \"{FORMAT}\"` is missing"));
        }
        let Some(version) = root.find("version") else {
            return Err("the version of the format is missing".into());
        };
        match version.number(0, u32::MAX)? {
            VERSION => {}
            other => return Err(format!("version {other} of the format is not known")),
        }
        let verdict = root.get("verdict")?;
        let claimed = match verdict.text()? {
            "SAFE" => "certificate",
            "UNSAFE" => "violation",
            other => return verdict.wrong(format!("`{other}` is no verdict that has a witness")),
        };
        root.object(&["format", "version", "file", "reading", "verdict", claimed])?;
        let reading = root.get("reading")?;
        let (reading, model) = RecordedReading::read(&reading)?;
        let evidence = root.get(claimed)?;
        Ok(Witness {
            format: FORMAT.into(),
            version: VERSION,
            file: root.get("file")?.text()?.into(),
            reading,
            claim: match claimed {
                "certificate" => Claim::Safe { certificate: Certificate::read(&evidence, model)? },
                _ => Claim::Unsafe { violation: Violation::read(&evidence)? },
            },
        })
    }
}

impl RecordedReading {
    fn read(node: &Node<'_>) -> Result<(RecordedReading, DataModel), String> {
        let keys = [
            "data_model",
            "entry",
            "property",
            "externs",
            "malloc_may_fail",
            "signed_wrap",
            "overflow",
            "loops",
        ];
        node.object(&keys)?;
        let text = |key: &str| node.get(key)?.text().map(str::to_string);
        let perhaps = |key: &str| node.find(key).map(|value| value.text().map(str::to_string)).transpose();
        let data_model = node.get("data_model")?;
        let model = match data_model.text()? {
            "ILP32" => DataModel::Ilp32,
            "LP64" => DataModel::Lp64,
            other => return data_model.wrong(format!("`{other}` is no data model")),
        };
        let reading = RecordedReading {
            data_model: text("data_model")?,
            entry: perhaps("entry")?,
            property: text("property")?,
            externs: text("externs")?,
            malloc_may_fail: node.get("malloc_may_fail")?.flag()?,
            signed_wrap: node.get("signed_wrap")?.flag()?,
            overflow: perhaps("overflow")?,
            loops: perhaps("loops")?,
        };
        Ok((reading, model))
    }

    /// The first key in which another reading differs, with what both say.
    pub fn difference(&self, other: &RecordedReading) -> Option<(&'static str, String, String)> {
        let usual = |said: &Option<String>| said.clone().unwrap_or_else(|| "the usual one".into());
        let says = |reading: &RecordedReading| {
            [
                ("data_model", reading.data_model.clone()),
                ("entry", usual(&reading.entry)),
                ("property", reading.property.clone()),
                ("externs", reading.externs.clone()),
                ("malloc_may_fail", reading.malloc_may_fail.to_string()),
                ("signed_wrap", reading.signed_wrap.to_string()),
                ("overflow", usual(&reading.overflow)),
                ("loops", usual(&reading.loops)),
            ]
        };
        let mut both = says(self).into_iter().zip(says(other));
        both.find(|(a, b)| a != b).map(|((key, here), (_, there))| (key, here, there))
    }
}
