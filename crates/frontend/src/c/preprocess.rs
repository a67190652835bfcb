//! The system's preprocessor, for plain `.c` files.
//!
//! A file without directives (SV-COMP's `.i` and most of its `.c`) needs none. For ILP32 the compiler of a 64-bit system is asked
//! for its 32-bit macros and made to forget its own, which works without the 32-bit headers being installed.

use crate::{Fault, Reading, Res};
use craig_base::{Budget, Diagnostic};
use craig_cfa::DataModel;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

/// How often the budget is looked at while the preprocessor works.
const TICK: Duration = Duration::from_millis(5);

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
pub(super) fn run(path: &Path, reading: &Reading, budget: &Budget) -> Res<Vec<u8>> {
    let compiler = compiler(budget)?;
    let mut args: Vec<OsString> = vec!["-E".into(), "-x".into(), "c".into()];
    // Lives until the preprocessor has run.
    let scratch;
    if reading.model == DataModel::Ilp32 {
        scratch = macros_of_32_bits(&compiler, budget)?;
        args.extend(["-undef".into(), "-imacros".into(), scratch.path().join("macros.h").into()]);
        args.extend(["-idirafter".into(), scratch.path().into()]);
    }
    // glibc: `isdigit` as a function, not as a look into its tables.
    args.push("-D__NO_CTYPE".into());
    for dir in &reading.include_dirs {
        args.extend(["-I".into(), dir.into()]);
    }
    args.extend(reading.defines.iter().map(|d| format!("-D{d}").into()));
    args.push(path.into());
    execute(&compiler, &args, budget)
}

/// A folder with the compiler's macros for 32 bits, and a header that glibc asks for when it sees such a target.
fn macros_of_32_bits(compiler: &OsString, budget: &Budget) -> Res<tempfile::TempDir> {
    let args = ["-m32", "-dM", "-E", "-x", "c", "/dev/null"].map(OsString::from);
    let macros = execute(compiler, &args, budget)?;
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
    write().map_err(|e: std::io::Error| {
        Fault::from(Diagnostic::error(format!("cannot write a temporary folder: {e}")))
    })
}

fn compiler(budget: &Budget) -> Res<OsString> {
    let candidates = std::env::var_os("CC").into_iter().chain(["gcc", "cc", "clang"].map(OsString::from));
    for candidate in candidates {
        match output(&candidate, &["--version".into()], budget) {
            Ok((status, ..)) if status.success() => return Ok(candidate),
            Err(Fault::Stopped(stop)) => return Err(stop.into()),
            _ => {}
        }
    }
    Err(Diagnostic::error("no C preprocessor found (tried gcc, cc, clang)")
        .help("install gcc, or give a file that is already preprocessed")
        .into())
}

fn execute(compiler: &OsString, args: &[OsString], budget: &Budget) -> Res<Vec<u8>> {
    let (status, stdout, stderr) = output(compiler, args, budget)?;
    if status.success() {
        return Ok(stdout);
    }
    let text = String::from_utf8_lossy(&stderr);
    let first = text.lines().find(|l| l.contains("error")).or(text.lines().next()).unwrap_or("no message");
    let shown: String = first.chars().take(300).collect();
    Err(Diagnostic::error(format!("the C preprocessor failed: {shown}")).into())
}

/// Runs a program to its end, with all that it writes, or kills it when the budget ends.
fn output(program: &OsString, args: &[OsString], budget: &Budget) -> Res<(ExitStatus, Vec<u8>, Vec<u8>)> {
    budget.check()?;
    let cannot =
        |e: std::io::Error| Fault::from(Diagnostic::error(format!("cannot run the C preprocessor: {e}")));
    // A group of its own: the compiler leaves the work to a child, which would outlive it.
    let mut child = Command::new(program)
        .args(args)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot)?;
    let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
    // It closes its outputs when it ends, its own children included.
    while !(stdout.is_finished() && stderr.is_finished()) {
        if let Err(stop) = budget.check() {
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
            let _ = child.wait();
            return Err(stop.into());
        }
        thread::sleep(TICK);
    }
    let status = child.wait().map_err(cannot)?;
    Ok((status, stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default()))
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What could be read is all there is: the exit status tells about the rest.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}
