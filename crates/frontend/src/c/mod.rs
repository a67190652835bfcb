//! GNU C11.

use crate::{Failure, Options};
use craig_base::Diagnostic;
use craig_cfa::Program;
use std::path::Path;

/// Reads, where needed preprocesses, parses and translates a file.
pub fn load(_path: &Path, _options: &Options) -> Result<Program, Failure> {
    Err(Failure::without_source(Diagnostic::error("C is not read yet")))
}
