//! Remopla, the language of the model checker Moped.
//!
//! | module | does |
//! |---|---|
//! | [`lex`] | text to tokens |
//! | [`ast`], [`parse`] | tokens to syntax |
//! | [`types`] | constants, enumerations, structs, shapes of variables |
//! | [`lower`] | names and kinds checked, and the syntax made a [`craig_cfa::Program`] |
//!
//! What each construct means is told in `docs/remopla.md`.

mod ast;
mod lex;
mod lower;
mod parse;
mod types;

use crate::{LoadError, Loaded, Property, Reading, Rejected, file, with_stack};
use craig_base::{Budget, Diagnostic, Source};
use std::path::Path;
use std::sync::Arc;

/// The label that is an error when no other is asked for.
const USUAL_LABEL: &str = "error";

/// Reads and translates a file.
pub fn load(path: &Path, reading: &Reading, budget: &Budget) -> Result<Loaded, LoadError> {
    let text = file::read_text(path, budget).map_err(|fault| fault.with_source(None))?;
    load_text(&path.display().to_string(), &text, reading, budget)
}

/// Translates a text.
pub fn load_text(name: &str, text: &str, reading: &Reading, budget: &Budget) -> Result<Loaded, LoadError> {
    let (label, asked) = match &reading.property {
        Property::Default => (USUAL_LABEL, false),
        Property::Label(label) => (label.as_str(), true),
        Property::Call(_) => return Err(refused("a call")),
        Property::NoOverflow => return Err(refused("overflow")),
    };
    let source = Arc::new(Source::new(name, text.to_string(), false));
    let translate = || {
        let file = parse::parse(source.text(), budget)?;
        lower::lower(&file, &source, label, reading, budget)
    };
    let lowered = with_stack(|| translate().map_err(|fault| fault.with_source(Some(Arc::clone(&source)))))?;
    let missing = (!lowered.has_label).then(|| {
        let diagnostic = Diagnostic::error(format!("there is no label `{}`", label.escape_debug()))
            .help("--property 'label(NAME)' says which label is to be reached");
        Rejected { source: Some(source), diagnostics: vec![diagnostic] }
    });
    match missing {
        Some(rejected) if asked => Err(rejected.into()),
        Some(rejected) => {
            Ok(Loaded { program: lowered.program, property: Property::Default, nothing: Some(rejected) })
        }
        None => Ok(Loaded {
            program: lowered.program,
            property: Property::Label(label.to_string()),
            nothing: None,
        }),
    }
}

fn refused(what: &str) -> LoadError {
    let diagnostic =
        Diagnostic::error(format!("the property speaks of {what}, which has no meaning for Remopla"))
            .help("--property 'label(NAME)' says which label is to be reached");
    Rejected::without_source(diagnostic).into()
}

#[cfg(test)]
mod tests;
