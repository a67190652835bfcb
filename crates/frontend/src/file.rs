//! The bytes of a file, and the text that they are.

use crate::{Fault, Res};
use craig_base::{Budget, Diagnostic};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What is read between two looks at the budget.
const CHUNK: u64 = 1 << 20;

/// Reads a file whole, as text. It is for languages where only comments and strings may hold more than ASCII: what is not UTF-8 in them does
/// no harm.
pub fn read_text(path: &Path, budget: &Budget) -> Res<String> {
    let bytes = read(path, budget)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|e| {
        e.as_bytes().iter().map(|&b| if b.is_ascii() { char::from(b) } else { '?' }).collect()
    }))
}

/// Reads a file whole. Positions in texts have 32 bits: it may not be larger than that.
pub fn read(path: &Path, budget: &Budget) -> Res<Vec<u8>> {
    let refuse =
        |why: String| Fault::from(Diagnostic::error(format!("cannot read {}: {why}", path.display())));
    let unreadable =
        |e: io::Error| refuse(if path.is_dir() { "it is a directory".into() } else { e.to_string() });
    let mut file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    loop {
        budget.check()?;
        if file.by_ref().take(CHUNK).read_to_end(&mut bytes).map_err(unreadable)? == 0 {
            return Ok(bytes);
        }
        if bytes.len() >= u32::MAX as usize {
            return Err(refuse("it is larger than 4 GiB".into()));
        }
    }
}
