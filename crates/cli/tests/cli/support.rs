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

/// A folder of its own for each test, gone at the end.
#[derive(Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("craig-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), content).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The root of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the tests' own programs.
pub fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}
