//! The frame around every command.
//!
//! - The work runs on a thread with a big stack: programs nest deeply, and so do the functions that walk them.
//! - A panic is a bug of ours, never an answer: it becomes `UNKNOWN (internal)` with a line to report.
//! - Ctrl-C cancels the [`Budget`]; what does not listen within some seconds, or the second time, is ended.
//! - A reader that goes away (`craig ... | head`) ends the run quietly.

use crate::code::Code;
use craig_base::budget::cpu_time;
use craig_base::{Budget, stack};
use craig_report::Cost;
use std::io::{self, Write};
use std::panic;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// Time to end well after Ctrl-C.
const GRACE: Duration = Duration::from_secs(3);

/// Signals closer to each other count as one.
const TWICE: Duration = Duration::from_millis(300);

/// Message and place of the last panic.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs the work and turns whatever happens into an exit code.
pub fn guarded(work: impl FnOnce() -> Code + Send) -> Code {
    remember_panics();
    match on_big_stack(work) {
        Ok(Some(code)) => code,
        Ok(None) => {
            eprint("error: no thread could be started for the work");
            Code::Unknown
        }
        Err(()) => {
            let what = LAST_PANIC.lock().ok().and_then(|mut last| last.take());
            eprint(&format!(
                "error: internal error: {}\n\
                 This is a bug in craig {}. Please report it with this message and the input.\n\
                 UNKNOWN (internal)",
                what.as_deref().unwrap_or("a panic without message"),
                env!("CARGO_PKG_VERSION"),
            ));
            Code::Unknown
        }
    }
}

/// `Err`: the work panicked. `Ok(None)`: it never started.
fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<Option<T>, ()> {
    thread::scope(|scope| match stack::spawn(scope, "craig", work) {
        Ok(thread) => thread.join().map(Some).map_err(|_| ()),
        Err(_) => Ok(None),
    })
}

/// Panics are kept for the message of [`guarded`] instead of being printed; with `RUST_BACKTRACE` they are printed as well.
fn remember_panics() {
    let default = panic::take_hook();
    let backtrace = std::env::var_os("RUST_BACKTRACE").is_some_and(|v| v != "0");
    panic::set_hook(Box::new(move |info| {
        let message = info
            .payload()
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| info.payload().downcast_ref::<String>().map(String::as_str))
            .unwrap_or("a panic without message");
        let place = info.location().map(|l| format!(" ({l})")).unwrap_or_default();
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = Some(format!("{message}{place}"));
        }
        if backtrace {
            default(info);
        }
    }));
}

/// A budget without limits that Ctrl-C cancels.
pub fn cancelled_by_ctrl_c() -> Budget {
    let budget = Budget::unlimited();
    let cancelled = budget.clone();
    let mut first: Option<Instant> = None;
    // Without a handler the default action of the signal ends the process: fine as well.
    let _ = ctrlc::set_handler(move || {
        cancelled.cancel();
        match first {
            // One press may arrive twice: from the terminal, and passed on by whoever started us.
            Some(at) if at.elapsed() > TWICE => interrupted(),
            Some(_) => {}
            None => {
                first = Some(Instant::now());
                thread::spawn(|| {
                    thread::sleep(GRACE);
                    interrupted();
                });
            }
        }
    });
    budget
}

fn interrupted() -> ! {
    eprint("UNKNOWN (interrupted)");
    std::process::exit(i32::from(Code::Unknown as u8))
}

/// Measures what an answer costs.
#[derive(Debug)]
pub struct Clock {
    started: Instant,
    cpu: Duration,
}

impl Clock {
    pub fn start() -> Clock {
        Clock { started: Instant::now(), cpu: cpu_time() }
    }

    /// Since the start; memory is that of the whole process so far.
    pub fn cost(&self) -> Cost {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = peak.and_then(|p| p.trim().split(' ').next()?.parse::<u64>().ok());
        Cost {
            wall: self.started.elapsed(),
            cpu: cpu_time().saturating_sub(self.cpu),
            peak_bytes: kilobytes.unwrap_or(0) * 1024,
        }
    }
}

/// A line on stderr; nobody reading it is no reason to fail.
pub fn eprint(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// Writes to stdout through a buffer. `Err` is the code to end with, everything said.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Code> {
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let result = write(&mut out).and_then(|()| out.flush());
    result.map_err(|e| {
        if e.kind() != io::ErrorKind::BrokenPipe {
            eprint(&format!("error: the output cannot be written: {e}"));
        }
        Code::Unknown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_unknown() {
        assert_eq!(guarded(|| Code::Safe), Code::Safe);
        assert_eq!(guarded(|| panic!("on purpose")), Code::Unknown);
    }
}
