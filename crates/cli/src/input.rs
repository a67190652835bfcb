//! From arguments to a program.

use crate::args::{Externs, Reading};
use crate::code::Code;
use crate::diag;
use craig_base::{Diagnostic, Source};
use craig_cfa::{DataModel, Program};
use craig_frontend::{Failure, Options, Property};
use craig_verdict::witness;
use std::path::Path;
use std::sync::Arc;

/// Reads property and program; what is wrong with them is told on stderr.
pub fn load(file: &Path, reading: &Reading) -> Result<Program, Code> {
    let program = options(reading).and_then(|options| craig_frontend::load(file, &options));
    program.map_err(|failure| {
        diag::report(&failure);
        Code::Usage
    })
}

pub fn options(input: &Reading) -> Result<Options, Failure> {
    let defaults = Options::default();
    let (property, entry) = match &input.property {
        None => (defaults.property, None),
        Some(text) => property(text)?,
    };
    Ok(Options {
        model: if input.lp64 { DataModel::Lp64 } else { DataModel::Ilp32 },
        entry: input.entry.clone().or(entry).unwrap_or(defaults.entry),
        property,
        externs: match input.externs {
            Externs::Pure => craig_frontend::Externs::Pure,
            Externs::Havoc => craig_frontend::Externs::Havoc,
            Externs::Error => craig_frontend::Externs::Error,
        },
        malloc_may_fail: input.malloc_may_fail,
        include_dirs: input.include_dirs.clone(),
        defines: input.defines.clone(),
    })
}

/// How a program is read, as witnesses record it.
pub fn recorded(reading: &Reading, signed_wrap: bool) -> Result<witness::Reading, Code> {
    let options = options(reading).map_err(|failure| {
        diag::report(&failure);
        Code::Usage
    })?;
    Ok(witness::Reading {
        data_model: format!("{:?}", options.model).to_uppercase(),
        entry: options.entry,
        property: match options.property {
            Property::Default => "default".into(),
            Property::Call(function) => format!("call {function}"),
            Property::Label(label) => format!("label {label}"),
            Property::NoOverflow => "no-overflow".into(),
        },
        externs: format!("{:?}", options.externs).to_lowercase(),
        malloc_may_fail: options.malloc_may_fail,
        signed_wrap,
    })
}

/// By name, or from a file that also names the entry.
fn property(text: &str) -> Result<(Property, Option<String>), Failure> {
    if let Some(property) = Property::by_name(text) {
        return Ok((property, None));
    }
    let path = Path::new(text);
    if path.extension().is_none() && !path.exists() {
        let known = Property::NAMES.join(", ");
        return Err(Failure::without_source(
            Diagnostic::error(format!("there is no property and no file named `{}`", text.escape_debug()))
                .help(format!("properties are: {known}")),
        ));
    }
    let bytes = std::fs::read(path).map_err(|e| {
        Failure::without_source(Diagnostic::error(format!(
            "cannot read the property file {}: {e}",
            path.display()
        )))
    })?;
    let content = String::from_utf8_lossy(&bytes).into_owned();
    match Property::parse(&content) {
        Ok((property, entry)) => Ok((property, Some(entry))),
        Err(diagnostic) => Err(Failure {
            source: Some(Arc::new(Source::new(text, content, false))),
            diagnostics: vec![diagnostic],
        }),
    }
}
