//! GNU C11.
//!
//! | module | does |
//! |---|---|
//! | [`preprocess`] | runs the system's preprocessor where a text needs it |
//! | [`scan`] | tokens, limits, rewriting of what the parser does not know |
//! | [`lower`] | the parsed text to a [`Program`] |

mod lower;
mod preprocess;
mod scan;

use crate::{Failure, Options};
use craig_base::{Diagnostic, Source, Span};
use craig_cfa::Program;
use lang_c::driver::{Config, SyntaxError, parse_preprocessed};
use std::path::Path;
use std::sync::Arc;

/// Parsing and translation recurse with the nesting of the text, which [`scan`] bounds; this is enough for its bound.
const STACK_BYTES: usize = 1 << 29;

/// Reads, where needed preprocesses, parses and translates a file.
pub fn load(path: &Path, options: &Options) -> Result<Program, Failure> {
    let bytes = std::fs::read(path).map_err(|e| {
        let reason = if path.is_dir() { "it is a directory".to_string() } else { e.to_string() };
        Failure::without_source(Diagnostic::error(format!("cannot read {}: {reason}", path.display())))
    })?;
    if bytes.len() > u32::MAX as usize {
        return Err(Failure::without_source(Diagnostic::error(format!(
            "{} is larger than 4 GiB",
            path.display()
        ))));
    }
    let mut text = decode(bytes);
    if path.extension().is_none_or(|e| e != "i") && preprocess::needed(&text.0) {
        text = decode(preprocess::run(path, options).map_err(Failure::without_source)?);
    }
    translate(&path.display().to_string(), text.0, text.1, options)
}

/// Translates a text that is already preprocessed.
pub fn load_text(name: &str, text: &str, options: &Options) -> Result<Program, Failure> {
    translate(name, text.to_string(), Encoding::Utf8, options)
}

/// How the bytes of the file were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    /// Not UTF-8: every byte is the character of that number.
    Latin1,
}

fn decode(bytes: Vec<u8>) -> (String, Encoding) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, Encoding::Utf8),
        Err(e) => (e.as_bytes().iter().map(|&b| char::from(b)).collect(), Encoding::Latin1),
    }
}

fn translate(
    name: &str,
    mut text: String,
    encoding: Encoding,
    options: &Options,
) -> Result<Program, Failure> {
    if let Some(models) = lower::models_for(&text) {
        text.push_str("\n# 1 \"<library models>\"\n");
        text.push_str(models);
    }
    let source = Arc::new(Source::new(name, text, true));
    let work = || -> Result<Program, Vec<Diagnostic>> {
        let (rewritten, offsets) = scan::scan(source.text()).map_err(|d| vec![d])?;
        let parse = parse_preprocessed(&Config::with_gcc(), rewritten)
            .map_err(|e| vec![syntax_error(&e, &offsets, source.text())])?;
        lower::lower(&parse.unit, &source, &offsets, encoding, options)
    };
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("frontend".into()).stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(e) => Err(vec![Diagnostic::error(format!("cannot start a thread: {e}"))]),
        }
    });
    result.map_err(|diagnostics| Failure { source: Some(source), diagnostics })
}

fn syntax_error(error: &SyntaxError, offsets: &scan::Offsets, text: &str) -> Diagnostic {
    let at = offsets.original(error.offset);
    let rest = text.get(at..).unwrap_or("");
    let rest = &rest[rest.len() - rest.trim_start().len()..];
    let word = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count().max(1);
    let found: String = rest.chars().take(word.min(40)).collect();
    let at = text.len() - rest.len();
    let mut expected: Vec<&str> =
        error.expected.iter().copied().filter(|e| e.len() > 1 || !e.starts_with(' ')).collect();
    expected.sort_unstable();
    expected.dedup();
    let suspect = unknown_type(text, at, &found);
    let message =
        if found.is_empty() { "unexpected end of file".into() } else { format!("syntax error at `{found}`") };
    let mut diagnostic = Diagnostic::error(message).at(Span::new(at, at + found.len()));
    if let Some(name) = suspect {
        diagnostic = diagnostic.help(format!("is `{name}` a type that is not declared?"));
    }
    if expected.is_empty() || expected.len() > 6 {
        return diagnostic;
    }
    diagnostic.label(format!("expected {}", expected.join(", ")))
}

/// A name that may have been meant as a type: the one at a syntax error if a name or `*` follows, or else the one before it.
fn unknown_type<'a>(text: &'a str, at: usize, found: &'a str) -> Option<&'a str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name =
        |w: &str| w.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !KEYWORDS.contains(&w);
    let after = text.get(at + found.len()..)?.trim_start();
    let before = text.get(..at)?.trim_end();
    let before = &before[before.trim_end_matches(is_word).len()..];
    let follows = after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '*');
    if is_name(found) && is_name(before) {
        Some(before)
    } else if is_name(found) && follows {
        Some(found)
    } else {
        None
    }
}

const KEYWORDS: [&str; 34] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
    "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void",
    "volatile", "while",
];
