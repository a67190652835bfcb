//! Front ends: text to [`Program`], every location with its span.
//!
//! | module | reads |
//! |---|---|
//! | [`c`] | GNU C11, preprocessed or plain |
//! | [`boogie`] | Boogie (`.bpl`) |
//! | [`property`] | what is to be shown: property files and names |

pub mod boogie;
pub mod c;
pub mod property;

pub use property::Property;

use craig_base::{Diagnostic, Source};
use craig_cfa::{DataModel, Program};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a function without a body does, beyond returning any value of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Externs {
    /// It changes nothing.
    #[default]
    Pure,
    /// It may change what its pointer arguments point to, and every global that other files can see.
    Havoc,
    /// A call is an operation that is not modelled.
    Error,
}

/// How a text becomes a program.
#[derive(Debug, Clone)]
pub struct Options {
    pub model: DataModel,
    /// Name of the procedure where runs begin.
    pub entry: String,
    pub property: Property,
    pub externs: Externs,
    /// May `malloc` return null?
    pub malloc_may_fail: bool,
    /// Folders for the preprocessor's `-I`.
    pub include_dirs: Vec<PathBuf>,
    /// Macros for the preprocessor's `-D`: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            model: DataModel::default(),
            entry: "main".into(),
            property: Property::default(),
            externs: Externs::default(),
            malloc_may_fail: false,
            include_dirs: Vec::new(),
            defines: Vec::new(),
        }
    }
}

/// Why a text did not become a program. Never empty; the source is there unless the file could not be read.
#[derive(Debug)]
pub struct Failure {
    pub source: Option<Arc<Source>>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Failure {
    pub fn without_source(diagnostic: Diagnostic) -> Self {
        Failure { source: None, diagnostics: vec![diagnostic] }
    }
}

/// Reads a file; its ending names the language.
pub fn load(path: &Path, options: &Options) -> Result<Program, Failure> {
    match path.extension() {
        Some(ending) if ending == "bpl" => boogie::load(path, options),
        _ => c::load(path, options),
    }
}
