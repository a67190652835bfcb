//! The frame around every command.
//!
//! - The work runs on a thread with a big stack: programs nest deeply, and so do the functions that walk them.
//! - A panic is a bug of ours, never an answer: it becomes `UNKNOWN (internal)` with a line to report.
//! - A limit and Ctrl-C end a [`Budget`]; work that does not listen then (some calls of Z3 take seconds to see that they are interrupted) is
//!   left behind ([`patiently`]). The second Ctrl-C ends the process at once.
//! - A reader that goes away (`craig ... | head`) ends the run quietly.

use crate::code::Code;
use craig_base::budget::cpu_time;
use craig_base::{Budget, Stop, stack};
use craig_report::Cost;
use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Time to end well after a limit has passed or Ctrl-C was pressed.
pub const GRACE: Duration = Duration::from_millis(250);

/// How often is looked whether the budget of the work has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Memory is looked at every so many times: that reads a file.
const MEMORY_LOOKS: u32 = 5;

/// Signals closer to each other count as one.
const TWICE: Duration = Duration::from_millis(300);

/// Work goes on that nobody waits for any more.
static LEFT_BEHIND: AtomicBool = AtomicBool::new(false);

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

/// Does work on a thread of its own, which hands over what it has whenever it has something better. What it had last is the result: once it
/// is done, or a while after its budget ended, whether it listens or not. `Err` if it had nothing by then.
pub fn patiently<T: Send + 'static>(
    budget: &Budget,
    grace: Duration,
    work: impl FnOnce(&mut dyn FnMut(T)) + Send + 'static,
) -> Result<T, Stop> {
    let (sender, receiver) = mpsc::channel();
    let thread = stack::spawn_detached("work", move || {
        work(&mut |found| {
            // Nobody listens to what was left behind.
            let _ = sender.send(found);
        });
    });
    let thread = thread.expect("a thread can be started for the work");
    let mut latest = None;
    let mut ended: Option<(Stop, Instant)> = None;
    let mut memory = None;
    for round in 0u32.. {
        match receiver.recv_timeout(LOOK) {
            Ok(found) => latest = Some(found),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic));
                break;
            }
        }
        if round.is_multiple_of(MEMORY_LOOKS) {
            memory = budget.stopped_by_memory();
        }
        // Memory may be free again, then all is well.
        let stop = budget.stopped().or(memory.filter(|stop| *stop == Stop::Memory));
        ended = stop.map(|stop| ended.unwrap_or_else(|| (stop, Instant::now())));
        if ended.is_some_and(|(_, since)| since.elapsed() >= grace) {
            LEFT_BEHIND.store(true, Ordering::Relaxed);
            latest = receiver.try_iter().last().or(latest);
            break;
        }
    }
    latest.ok_or(ended.map_or(Stop::Cancelled, |(stop, _)| stop))
}

/// Ends the process.
pub fn exit(code: Code) -> ExitCode {
    if LEFT_BEHIND.load(Ordering::Relaxed) {
        let _ = io::stdout().flush();
        craig_smt::end_process(code as u8);
    }
    code.into()
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
        // One press may arrive twice: from the terminal, and passed on by whoever started us.
        if first.get_or_insert_with(Instant::now).elapsed() > TWICE {
            unknown(Stop::Cancelled);
            craig_smt::end_process(Code::Unknown as u8);
        }
    });
    budget
}

/// The end of a command without an answer.
pub fn unknown(stop: Stop) -> Code {
    eprint(&format!("UNKNOWN ({stop})"));
    Code::Unknown
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
        let inner = || patiently(&Budget::unlimited(), GRACE, |_: &mut dyn FnMut(Code)| panic!("on purpose"));
        assert_eq!(guarded(move || inner().unwrap_or(Code::Safe)), Code::Unknown);
    }

    #[test]
    fn work_that_does_not_listen_is_left_behind_with_what_it_had() {
        let stuck = |budget: &Budget, has: Option<u32>| {
            let (end, wait) = mpsc::channel::<()>();
            let cancelled = budget.clone();
            let found = patiently(budget, Duration::ZERO, move |tell| {
                has.into_iter().for_each(tell);
                cancelled.cancel();
                let _ = wait.recv();
            });
            drop(end);
            found
        };
        assert_eq!(stuck(&Budget::unlimited(), None), Err(Stop::Cancelled));
        assert_eq!(stuck(&Budget::unlimited(), Some(7)), Ok(7));
        let full = Budget::unlimited().with_memory(1);
        let (_end, wait) = mpsc::channel::<()>();
        let found = patiently(&full, Duration::ZERO, move |_: &mut dyn FnMut(u32)| {
            let _ = wait.recv();
        });
        assert_eq!(found, Err(Stop::Memory));
        let done = patiently(&Budget::unlimited(), GRACE, |tell| (0..3).for_each(tell));
        assert_eq!(done, Ok(2));
    }
}
