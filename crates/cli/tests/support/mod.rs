//! What the tests of the `craig` binary share.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A run of the binary.
#[derive(Debug)]
pub struct Ran {
    pub command: String,
    /// `None`: ended by a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

pub fn craig(args: &[&str], folder: &Path) -> Ran {
    let output: Output = Command::new(env!("CARGO_BIN_EXE_craig"))
        .args(args)
        .current_dir(folder)
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("the binary runs");
    Ran {
        command: format!("craig {}", args.join(" ")),
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The folder of the tests' own programs.
pub fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}
