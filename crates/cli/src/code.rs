//! Exit codes.

use std::process::ExitCode;

/// How a command ended. The numbers are part of the interface (`docs/cli.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// SAFE; for commands without a verdict: done.
    Safe = 0,
    /// UNSAFE: the error can be reached, or was.
    Unsafe = 1,
    /// UNKNOWN: could not be decided, or could not be finished.
    Unknown = 2,
    /// Bad usage, or input that cannot be read.
    Usage = 3,
}

impl Code {
    /// A command without a verdict did what it was asked to do.
    pub const DONE: Code = Code::Safe;
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        ExitCode::from(code as u8)
    }
}
