//! Boogie.
//!
//! | module | does |
//! |---|---|
//! | [`lex`] | text to tokens |
//! | [`ast`], [`parse`] | tokens to syntax |
//! | [`types`], [`hir`], [`check`] | names and types: syntax to a checked program |
//! | [`lower`] | the checked program to a [`craig_cfa::Program`] |
//!
//! What each construct means is told in `docs/boogie.md`.

mod ast;
mod check;
mod hir;
mod lex;
mod lower;
mod parse;
mod types;

use crate::{LoadError, Loaded, Property, Reading, Rejected, file, with_stack};
use craig_base::{Budget, Diagnostic, Source};
use std::path::Path;
use std::sync::Arc;

/// Reads, checks and translates a file.
pub fn load(path: &Path, reading: &Reading, budget: &Budget) -> Result<Loaded, LoadError> {
    let text = file::read_text(path, budget).map_err(|fault| fault.with_source(None))?;
    load_text(&path.display().to_string(), &text, reading, budget)
}

/// Translates a text.
pub fn load_text(name: &str, text: &str, reading: &Reading, budget: &Budget) -> Result<Loaded, LoadError> {
    let what = match &reading.property {
        Property::Default | Property::Call(_) => None,
        Property::Label(_) => Some("a label"),
        Property::NoOverflow => Some("overflow"),
    };
    if let Some(what) = what {
        let diagnostic =
            Diagnostic::error(format!("the property speaks of {what}, which has no meaning for Boogie"))
                .help("a Boogie program says itself what is to hold: assert, requires, ensures, invariant");
        return Err(Rejected::without_source(diagnostic).into());
    }
    let source = Arc::new(Source::new(name, text.to_string(), false));
    let translate = || {
        let decls = parse::parse(source.text(), budget)?;
        let hir = check::check(&decls, budget)?;
        drop(decls);
        lower::lower(&hir, &source, reading.entry.as_deref(), budget)
    };
    let program = with_stack(|| translate().map_err(|fault| fault.with_source(Some(Arc::clone(&source)))))?;
    Ok(Loaded { program, property: reading.property.clone(), nothing: None })
}

#[cfg(test)]
mod tests;
