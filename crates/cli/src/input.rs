//! From arguments to a program.

use crate::args;
use crate::code::Code;
use crate::{diag, host};
use craig_base::Budget;
use craig_cfa::DataModel;
use craig_solve::{LoadError, Loaded, Property, Reading, load as load_file};
use std::path::Path;

/// How programs are to be read; a property file is read here, once. What is wrong with it is told on stderr.
pub fn reading(args: &args::ReadingArgs, signed_wrap: bool) -> Result<Reading, Code> {
    let (property, entry) = match &args.property {
        None => (Property::default(), None),
        Some(text) => Property::read(text).map_err(|rejected| {
            diag::report(&rejected);
            Code::Usage
        })?,
    };
    Ok(Reading {
        model: if args.lp64 { DataModel::Lp64 } else { DataModel::Ilp32 },
        entry: args.entry.clone().or(entry),
        property,
        externs: args.externs,
        malloc_may_fail: args.malloc_may_fail,
        signed_wrap,
        overflow: args.overflow,
        loops: args.loops,
        include_dirs: args.include_dirs.clone(),
        defines: args.defines.clone(),
    })
}

/// Reads a program; what is wrong with it is told on stderr.
pub fn load(file: &Path, reading: &Reading, budget: &Budget) -> Result<Loaded, Code> {
    load_file(file, reading, budget).map_err(|error| match error {
        LoadError::Stopped(stop) => host::unknown(stop),
        LoadError::Rejected(rejected) => {
            diag::report(&rejected);
            Code::Usage
        }
    })
}
