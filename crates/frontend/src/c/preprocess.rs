//! The system's preprocessor, for plain `.c` files.
//!
//! A file without directives (SV-COMP's `.i` and most of its `.c`) needs none. For ILP32 the compiler of a 64-bit system is asked
//! for its 32-bit macros and made to forget its own, which works without the 32-bit headers being installed.

use crate::Options;
use craig_base::Diagnostic;
use craig_cfa::DataModel;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};

/// Is there a directive other than a line marker or a pragma?
pub(super) fn needed(text: &str) -> bool {
    text.lines().any(|line| {
        line.trim_start().strip_prefix('#').is_some_and(|rest| {
            let rest = rest.trim_start();
            ["include", "define", "undef", "if", "else", "elif", "endif", "error", "warning", "import"]
                .iter()
                .any(|d| rest.starts_with(d))
        })
    })
}

/// Output of the preprocessor, with line markers.
pub(super) fn run(path: &Path, options: &Options) -> Result<Vec<u8>, Diagnostic> {
    let compiler = compiler()?;
    let mut args: Vec<OsString> = vec!["-E".into(), "-x".into(), "c".into()];
    // Lives until the preprocessor has run.
    let scratch;
    if options.model == DataModel::Ilp32 {
        scratch = macros_of_32_bits(&compiler)?;
        args.extend(["-undef".into(), "-imacros".into(), scratch.path().join("macros.h").into()]);
        args.extend(["-idirafter".into(), scratch.path().into()]);
    }
    // glibc: `isdigit` as a function, not as a look into its tables.
    args.push("-D__NO_CTYPE".into());
    for dir in &options.include_dirs {
        args.extend(["-I".into(), dir.into()]);
    }
    args.extend(options.defines.iter().map(|d| format!("-D{d}").into()));
    args.push(path.into());
    execute(&compiler, &args)
}

/// A folder with the compiler's macros for 32 bits, and a header that glibc asks for when it sees such a target.
fn macros_of_32_bits(compiler: &OsString) -> Result<tempfile::TempDir, Diagnostic> {
    let macros = execute(compiler, &["-m32", "-dM", "-E", "-x", "c", "/dev/null"].map(OsString::from))?;
    let text: String = String::from_utf8_lossy(&macros)
        .lines()
        .filter(|l| !l.starts_with("#define __STDC__ ") && !l.starts_with("#define __STDC_HOSTED__ "))
        .map(|l| format!("{l}\n"))
        .collect();
    let write = || {
        let dir = tempfile::tempdir()?;
        std::fs::create_dir(dir.path().join("gnu"))?;
        std::fs::write(dir.path().join("gnu/stubs-32.h"), "")?;
        std::fs::write(dir.path().join("macros.h"), text)?;
        Ok(dir)
    };
    write().map_err(|e: std::io::Error| Diagnostic::error(format!("cannot write a temporary folder: {e}")))
}

fn compiler() -> Result<OsString, Diagnostic> {
    let candidates = std::env::var_os("CC").into_iter().chain(["gcc", "cc", "clang"].map(OsString::from));
    candidates
        .into_iter()
        .find(|c| Command::new(c).arg("--version").output().is_ok_and(|o| o.status.success()))
        .ok_or_else(|| {
            Diagnostic::error("no C preprocessor found (tried gcc, cc, clang)")
                .help("install gcc, or give a file that is already preprocessed")
        })
}

fn execute(compiler: &OsString, args: &[OsString]) -> Result<Vec<u8>, Diagnostic> {
    let Output { status, stdout, stderr } = Command::new(compiler)
        .args(args)
        .stdin(std::process::Stdio::null())
        .output()
        .map_err(|e| Diagnostic::error(format!("cannot run the C preprocessor: {e}")))?;
    if status.success() {
        return Ok(stdout);
    }
    let text = String::from_utf8_lossy(&stderr);
    let first = text.lines().find(|l| l.contains("error")).or(text.lines().next()).unwrap_or("no message");
    let shown: String = first.chars().take(300).collect();
    Err(Diagnostic::error(format!("the C preprocessor failed: {shown}")))
}
