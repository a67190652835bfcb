//! GNU C11.
//!
//! | module | does |
//! |---|---|
//! | [`preprocess`] | runs the system's preprocessor where a text needs it |
//! | [`scan`] | tokens, limits, rewriting of what the parser does not know |
//! | [`lower`] | the parsed text to a [`craig_cfa::Program`] |

mod lower;
pub mod notes;
mod preprocess;
mod scan;

use crate::{Fault, LoadError, Loaded, Reading, Rejected, Res, STACK_BYTES, file, with_stack};
use craig_base::{Budget, Diagnostic, Source, Span};
use lang_c::driver::{Config, Parse, SyntaxError, parse_preprocessed};
use notes::Note;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Reads, where needed preprocesses, parses and translates a file.
pub fn load(path: &Path, reading: &Reading, budget: &Budget) -> Result<Loaded, LoadError> {
    load_with(path, reading, &[], budget).map(|annotated| annotated.loaded)
}

/// A program with notes on its text.
#[derive(Debug)]
pub struct Annotated {
    pub loaded: Loaded,
    /// Notes, by their numbers, that no place of the text fits.
    pub lost: Vec<usize>,
}

/// As [`load`], with notes. Columns are of some help, but tools count them in several ways: what fits no column of its line stands at the first
/// place there that it could be meant for.
pub fn load_with(
    path: &Path,
    reading: &Reading,
    notes: &[Note],
    budget: &Budget,
) -> Result<Annotated, LoadError> {
    let bytes = file::read(path, budget).map_err(|fault| fault.with_source(None))?;
    let (mut text, mut encoding) = decode(bytes);
    if path.extension().is_none_or(|e| e != "i") && preprocess::needed(&text) {
        let bytes = preprocess::run(path, reading, budget).map_err(|fault| fault.with_source(None))?;
        (text, encoding) = decode(bytes);
    }
    let name = path.display().to_string();
    let found = translate(&name, text.clone(), encoding, reading, notes, budget)?;
    if found.lost.iter().all(|i| notes[*i].column.is_none()) {
        return Ok(found);
    }
    let mut notes = notes.to_vec();
    found.lost.iter().for_each(|i| notes[*i].column = None);
    translate(&name, text, encoding, reading, &notes, budget)
}

/// Translates a text that is already preprocessed.
pub fn load_text(name: &str, text: &str, reading: &Reading, budget: &Budget) -> Result<Loaded, LoadError> {
    let read = translate(name, text.to_string(), Encoding::Utf8, reading, &[], budget);
    read.map(|annotated| annotated.loaded)
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
    reading: &Reading,
    notes: &[Note],
    budget: &Budget,
) -> Result<Annotated, LoadError> {
    if let Some(models) = lower::models_for(&text) {
        text.push_str("\n# 1 \"<library models>\"\n");
        text.push_str(models);
    }
    let source = Arc::new(Source::new(name, text, true));
    let reject = |diagnostics| LoadError::from(Rejected { source: Some(Arc::clone(&source)), diagnostics });
    with_stack(|| {
        let scanned = scan::scan(source.text(), budget);
        let (rewritten, offsets) = scanned.map_err(|fault| fault.with_source(Some(Arc::clone(&source))))?;
        let parsed = parse(rewritten, budget).map_err(|fault| fault.with_source(None))?;
        let parsed = parsed.map_err(|e| reject(vec![syntax_error(&e, &offsets, source.text())]))?;
        let notes = notes::parse(notes, &parsed.unit, budget).map_err(|fault| fault.with_source(None))?;
        let notes = lower::Notes::new(&notes);
        let lowered = lower::lower(&parsed.unit, &source, &offsets, encoding, reading, notes, budget);
        let lowered = lowered.map_err(|faults| {
            let mut diagnostics = Vec::new();
            for fault in faults {
                match fault {
                    Fault::Stopped(stop) => return LoadError::Stopped(stop),
                    Fault::Wrong(diagnostic) => diagnostics.push(*diagnostic),
                }
            }
            reject(diagnostics)
        });
        lowered.map(|(loaded, lost)| Annotated { loaded, lost })
    })
}

/// The parser is one call that cannot be interrupted, and reads 1 to 4 MB a second. It has a thread of its own: when the budget
/// ends, nobody waits for it any more, and it runs to its end unheard.
fn parse(text: String, budget: &Budget) -> Res<Result<Parse, SyntaxError>> {
    const TICK: Duration = Duration::from_millis(5);
    budget.check()?;
    let (sender, result) = channel();
    let thread = thread::Builder::new().name("parser".into()).stack_size(STACK_BYTES);
    let thread = thread
        .spawn(move || {
            // What nobody takes is dropped here, where the stack is deep enough for it.
            let _ = sender.send(parse_preprocessed(&Config::with_gcc(), text));
        })
        .map_err(|e| Diagnostic::error(format!("cannot start a thread: {e}")))?;
    loop {
        match result.recv_timeout(TICK) {
            Ok(parsed) => return Ok(parsed),
            Err(RecvTimeoutError::Timeout) => budget.check()?,
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("it sends before it ends"),
            },
        }
    }
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
