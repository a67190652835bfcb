//! From arguments to a program.

use crate::args::{Externs, Reading};
use crate::code::Code;
use crate::diag;
use craig_base::Budget;
use craig_cfa::{DataModel, Program};
use craig_frontend::{LoadError, Property, Rejected};
use craig_verdict::witness;
use std::path::Path;

/// Reads property and program; what is wrong with them is told on stderr.
pub fn load(file: &Path, reading: &Reading) -> Result<Program, Code> {
    let loaded = options(reading).map_err(LoadError::Rejected);
    match loaded.and_then(|reading| craig_frontend::load(file, &reading, &Budget::unlimited())) {
        Ok(loaded) => Ok(loaded.program),
        Err(LoadError::Stopped(_)) => Err(Code::Unknown),
        Err(LoadError::Rejected(rejected)) => {
            diag::report(&rejected);
            Err(Code::Usage)
        }
    }
}

pub fn options(input: &Reading) -> Result<craig_frontend::Reading, Rejected> {
    let (property, entry) = match &input.property {
        None => (Property::default(), None),
        Some(text) => Property::read(text)?,
    };
    Ok(craig_frontend::Reading {
        model: if input.lp64 { DataModel::Lp64 } else { DataModel::Ilp32 },
        entry: input.entry.clone().or(entry),
        property,
        externs: match input.externs {
            Externs::Pure => craig_frontend::Externs::Pure,
            Externs::Havoc => craig_frontend::Externs::Havoc,
            Externs::Error => craig_frontend::Externs::Error,
        },
        malloc_may_fail: input.malloc_may_fail,
        signed_wrap: false,
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
        entry: options.entry.unwrap_or_else(|| "main".into()),
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
