//! Boogie.
//!
//! | module | does |
//! |---|---|
//! | [`lex`] | text to tokens |
//! | [`ast`], [`parse`] | tokens to syntax |
//! | [`types`], [`hir`], [`check`] | names and types: syntax to a checked program |
//! | [`lower`] | the checked program to a [`Program`] |
//!
//! What each construct means is told in `docs/boogie.md`.

mod ast;
mod check;
mod hir;
mod lex;
mod lower;
mod parse;
mod types;

use crate::{Failure, Options, Property};
use craig_base::{Diagnostic, Source};
use craig_cfa::Program;
use std::path::Path;
use std::sync::Arc;

/// Every phase recurses with the nesting of the text, which [`lex`] and [`parse`] bound; this is enough for their bounds.
const STACK_BYTES: usize = 1 << 29;

/// Reads, checks and translates a file.
pub fn load(path: &Path, options: &Options) -> Result<Program, Failure> {
    let refuse = |why: String| {
        Failure::without_source(Diagnostic::error(format!("cannot read {}: {why}", path.display())))
    };
    let bytes = std::fs::read(path)
        .map_err(|e| refuse(if path.is_dir() { "it is a directory".to_string() } else { e.to_string() }))?;
    if bytes.len() >= u32::MAX as usize {
        return Err(refuse("it is larger than 4 GiB".into()));
    }
    // Only comments and strings may hold more than ASCII: what is not UTF-8 in them does no harm.
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => e.as_bytes().iter().map(|&b| if b.is_ascii() { char::from(b) } else { '?' }).collect(),
    };
    load_text(&path.display().to_string(), &text, options)
}

/// Translates a text.
pub fn load_text(name: &str, text: &str, options: &Options) -> Result<Program, Failure> {
    let what = match &options.property {
        Property::Default | Property::Call(_) => None,
        Property::Label(_) => Some("a label"),
        Property::NoOverflow => Some("overflow"),
    };
    if let Some(what) = what {
        return Err(Failure::without_source(
            Diagnostic::error(format!("the property speaks of {what}, which has no meaning for Boogie"))
                .help("a Boogie program says itself what is to hold: assert, requires, ensures, invariant"),
        ));
    }
    let source = Arc::new(Source::new(name, text.to_string(), false));
    let work = || {
        let decls = parse::parse(source.text())?;
        let hir = check::check(&decls)?;
        drop(decls);
        lower::lower(&hir, &source, &options.entry)
    };
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("frontend".into()).stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(e) => Err(Box::new(Diagnostic::error(format!("cannot start a thread: {e}")))),
        }
    });
    result.map_err(|diagnostic| Failure { source: Some(source), diagnostics: vec![*diagnostic] })
}

#[cfg(test)]
mod tests;
