//! Front ends: text to [`Program`], every location with its span.
//!
//! | module | reads |
//! |---|---|
//! | [`c`] | GNU C11, preprocessed or plain |
//! | [`boogie`] | Boogie (`.bpl`) |
//! | [`remopla`] | Remopla (`.rem`) |
//! | [`mod@file`] | the bytes of a file |
//! | [`property`] | what is to be shown: property files and names |
//! | [`tokens`] | tokens and a place among them, for parsers by recursive descent |
//! | [`tidy`] | takes empty steps and unreachable code out of a fresh program |

pub mod boogie;
pub mod c;
mod file;
pub mod property;
#[cfg(test)]
mod random_texts;
pub mod remopla;
mod tidy;
mod tokens;

pub use property::Property;

use craig_base::{Budget, Diagnostic, Source, Stop};
use craig_cfa::{DataModel, Program};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a function without a body does, beyond returning any value of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Externs {
    /// It changes nothing
    #[default]
    Pure,
    /// It may change globals and what its arguments point to
    Havoc,
    /// A call is an operation that is not modelled
    Error,
}

/// What happens in Remopla to a value that does not fit where it is stored. `docs/remopla.md` has the whole of both readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Overflow {
    /// There is no successor
    #[default]
    Block,
    /// It is cut to the bits that there are
    Wrap,
}

/// What `do` does in Remopla when none of its conditions holds and it has no `else`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Loops {
    /// There is no successor
    #[default]
    Stop,
    /// The loop is left, as in the deterministic dialect
    Leave,
}

/// How a program is read.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    pub model: DataModel,
    /// Name of the procedure where runs begin; `None` is the usual one of the language.
    pub entry: Option<String>,
    pub property: Property,
    pub externs: Externs,
    /// May `malloc` return null?
    pub malloc_may_fail: bool,
    /// Does signed overflow wrap around? Part of what a program means, though its translation is the same.
    pub signed_wrap: bool,
    /// Remopla: what happens to values that do not fit.
    pub overflow: Overflow,
    /// Remopla: what `do` does when nothing holds.
    pub loops: Loops,
    /// Folders for the preprocessor's `-I`.
    pub include_dirs: Vec<PathBuf>,
    /// Macros for the preprocessor's `-D`: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
}

/// A text that became a program.
#[derive(Debug)]
pub struct Loaded {
    pub program: Program,
    /// What is checked: under [`Property::Default`] it may turn out to be the label `ERROR`.
    pub property: Property,
    /// Why there is nothing to check, if no property was asked for and the program has none of the usual ones. It may be run and
    /// looked at.
    pub nothing: Option<Rejected>,
}

/// Why a text did not become a program.
#[derive(Debug)]
pub enum LoadError {
    /// The budget ended first.
    Stopped(Stop),
    Rejected(Rejected),
}

/// What is wrong with a text. Never empty; the source is there unless the file could not be read.
#[derive(Debug)]
pub struct Rejected {
    pub source: Option<Arc<Source>>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Rejected {
    pub fn without_source(diagnostic: Diagnostic) -> Self {
        Rejected { source: None, diagnostics: vec![diagnostic] }
    }
}

impl From<Rejected> for LoadError {
    fn from(rejected: Rejected) -> Self {
        LoadError::Rejected(rejected)
    }
}

impl From<Stop> for LoadError {
    fn from(stop: Stop) -> Self {
        LoadError::Stopped(stop)
    }
}

impl LoadError {
    /// What is wrong with the text; panics if the budget ended. For callers without limits.
    #[track_caller]
    pub fn rejected(self) -> Rejected {
        match self {
            LoadError::Rejected(rejected) => rejected,
            LoadError::Stopped(stop) => panic!("a budget without limits ended: {stop}"),
        }
    }
}

/// Why a part of a text was not read: the budget ended, or it is wrong. Boxed: errors are rare and results are small.
#[derive(Debug)]
enum Fault {
    Stopped(Stop),
    Wrong(Box<Diagnostic>),
}

type Res<T> = Result<T, Fault>;

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        Fault::Stopped(stop)
    }
}

impl From<Diagnostic> for Fault {
    fn from(diagnostic: Diagnostic) -> Self {
        Fault::Wrong(Box::new(diagnostic))
    }
}

impl Fault {
    fn with_source(self, source: Option<Arc<Source>>) -> LoadError {
        match self {
            Fault::Stopped(stop) => LoadError::Stopped(stop),
            Fault::Wrong(diagnostic) => Rejected { source, diagnostics: vec![*diagnostic] }.into(),
        }
    }
}

/// Every phase recurses with the nesting of the text, which the front ends bound; this is enough for their bounds.
const STACK_BYTES: usize = 1 << 29;

/// Works on a thread with a stack that is large enough for the deepest text.
fn with_stack<T: Send>(work: impl FnOnce() -> Result<T, LoadError> + Send) -> Result<T, LoadError> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("frontend".into()).stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(e) => {
                let diagnostic = Diagnostic::error(format!("cannot start a thread: {e}"));
                Err(Rejected::without_source(diagnostic).into())
            }
        }
    })
}

/// Reads a file; its ending names the language.
pub fn load(path: &Path, reading: &Reading, budget: &Budget) -> Result<Loaded, LoadError> {
    match path.extension() {
        Some(ending) if ending == "bpl" => boogie::load(path, reading, budget),
        Some(ending) if ending == "rem" => remopla::load(path, reading, budget),
        _ => c::load(path, reading, budget),
    }
}
