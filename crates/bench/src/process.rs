//! One child process under limits.
//!
//! The child leads a process group of its own, which ends with it: a solver or preprocessor that it started does not outlive it. Its exit
//! is seen first without collecting it, so that a signal never goes to a stranger who inherited the number, and then collected with what
//! it used. Limits on CPU time and address space are the system's (Linux only); the wall clock is watched here on every system, and so
//! is resident memory where the system tells it (Linux).

use craig_base::Budget;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use wait4::Wait4;

/// How much of each output is kept; the rest is read and dropped.
const KEPT_BYTES: u64 = 4 << 20;

/// How often a waiting thread looks at the clock, at the child's memory and whether it was cancelled.
const TICK: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    pub wall: Option<Duration>,
    /// Seconds of CPU time, all threads together.
    pub cpu: Option<Duration>,
    /// Bytes of address space: allocations fail beyond it.
    pub memory: Option<u64>,
    /// Bytes of resident memory: the child is ended beyond it.
    pub resident: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// It ended by itself with this status.
    Exit(i32),
    /// A signal ended it; not one that was sent from here.
    Signal(i32),
    /// Wall-clock time was over.
    TimeLimit,
    /// CPU time was over.
    CpuLimit,
    /// It held more resident memory than allowed.
    MemoryLimit,
    /// The run as a whole was cancelled.
    Cancelled,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Exit(code) => write!(f, "exit {code}"),
            Ending::Signal(number) => write!(f, "signal {number}"),
            Ending::TimeLimit => f.write_str("time limit"),
            Ending::CpuLimit => f.write_str("CPU limit"),
            Ending::MemoryLimit => f.write_str("memory limit"),
            Ending::Cancelled => f.write_str("cancelled"),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Finished {
    pub ending: Ending,
    pub wall: Duration,
    /// User and system time, waited-for children included.
    pub cpu: Duration,
    /// Peak of resident memory in bytes.
    pub max_rss: u64,
    pub stdout: String,
    pub stderr: String,
}

/// Runs the command to its end or to a limit. `Err`: it could not be started or watched.
pub fn run(command: &mut Command, limits: &Limits, budget: &Budget) -> io::Result<Finished> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let pid = Pid::from_child(&child);
    limit(pid, limits);
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());

    let stopped = watch(pid, limits.wall.map(|w| start + w), limits.resident, budget);
    // The whole group, also after a quiet end: nothing that it started may stay. The leader is not collected yet.
    let _ = kill_process_group(pid, Signal::KILL);
    let used = collect(&mut child)?;
    let wall = start.elapsed();
    let text = |reader: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    let ending =
        stopped.unwrap_or_else(|| ending(used.status, used.rusage.utime + used.rusage.stime, limits));
    Ok(Finished {
        ending,
        wall,
        cpu: used.rusage.utime + used.rusage.stime,
        max_rss: used.rusage.maxrss,
        stdout: text(stdout),
        stderr: text(stderr),
    })
}

/// Waits for the exit without collecting it. `Some`: it has to be stopped.
fn watch(pid: Pid, deadline: Option<Instant>, resident: Option<u64>, budget: &Budget) -> Option<Ending> {
    let (sender, exited) = channel();
    thread::spawn(move || wait_for_exit(pid, &sender));
    loop {
        match exited.recv_timeout(TICK) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if budget.check().is_err() {
            return Some(Ending::Cancelled);
        }
        if deadline.is_some_and(|d| Instant::now() >= d) {
            return Some(Ending::TimeLimit);
        }
        if resident.is_some_and(|limit| resident_bytes(pid).is_some_and(|now| now > limit)) {
            return Some(Ending::MemoryLimit);
        }
    }
}

/// What the child itself holds now, where the system tells.
fn resident_bytes(pid: Pid) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

fn wait_for_exit(pid: Pid, exited: &Sender<()>) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
    let _ = exited.send(());
}

fn collect(child: &mut Child) -> io::Result<wait4::ResUse> {
    loop {
        match child.wait4() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.by_ref().take(KEPT_BYTES).read_to_end(&mut kept);
            let _ = io::copy(&mut pipe, &mut io::sink());
        }
        kept
    })
}

fn ending(status: ExitStatus, cpu: Duration, limits: &Limits) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exit(code),
        (None, Some(signal)) => {
            // The system sends XCPU at the soft limit and KILL at the hard one, a second later.
            let cpu_over = limits.cpu.is_some_and(|limit| {
                signal == Signal::XCPU.as_raw() || signal == Signal::KILL.as_raw() && cpu >= limit
            });
            if cpu_over { Ending::CpuLimit } else { Ending::Signal(signal) }
        }
        (None, None) => Ending::Exit(-1),
    }
}

#[cfg(target_os = "linux")]
fn limit(pid: Pid, limits: &Limits) {
    use rustix::process::{Resource, Rlimit, prlimit};
    // A child that has already ended has no limits to set: errors do not matter.
    if let Some(cpu) = limits.cpu {
        let seconds = cpu.as_secs().max(1);
        let limit = Rlimit { current: Some(seconds), maximum: Some(seconds + 1) };
        let _ = prlimit(Some(pid), Resource::Cpu, limit);
    }
    if let Some(bytes) = limits.memory {
        let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
        let _ = prlimit(Some(pid), Resource::As, limit);
    }
}

#[cfg(not(target_os = "linux"))]
fn limit(_pid: Pid, _limits: &Limits) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limits: &Limits) -> Finished {
        run(Command::new("sh").args(["-c", script]), limits, &Budget::unlimited()).unwrap()
    }

    #[test]
    fn output_and_status_come_back() {
        let done = shell("echo out; echo err >&2; exit 3", &Limits::default());
        assert_eq!(done.ending, Ending::Exit(3));
        assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("out\n", "err\n"));
        assert!(done.max_rss > 0);
    }

    #[test]
    fn a_signal_is_told_from_a_limit() {
        assert_eq!(shell("kill -SEGV $$", &Limits::default()).ending, Ending::Signal(11));
        let wall = Limits { wall: Some(Duration::from_millis(200)), ..Limits::default() };
        assert_eq!(shell("sleep 1000", &wall).ending, Ending::TimeLimit);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_limit_on_cpu_time_holds() {
        let cpu = Limits { cpu: Some(Duration::from_secs(1)), ..Limits::default() };
        assert_eq!(shell("while :; do :; done", &cpu).ending, Ending::CpuLimit);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_limit_on_resident_memory_holds() {
        let small = Limits { resident: Some(30 << 20), ..Limits::default() };
        // The shell holds what it read; the loop keeps it alive until it is seen.
        let hungry = "x=$(head -c 40000000 /dev/zero | tr '\\0' x); while :; do :; done";
        assert_eq!(shell(hungry, &small).ending, Ending::MemoryLimit);
        assert_eq!(shell("exit 0", &small).ending, Ending::Exit(0));
    }

    #[test]
    fn what_the_child_started_ends_with_it() {
        // The pipe of the grandchild would keep `run` waiting if it lived on.
        let done = shell("sleep 1000 & echo started", &Limits::default());
        assert_eq!((done.ending, done.stdout.as_str()), (Ending::Exit(0), "started\n"));
    }

    #[test]
    fn cancelling_ends_it() {
        let budget = Budget::unlimited();
        budget.cancel();
        let done = run(Command::new("sleep").arg("1000"), &Limits::default(), &budget).unwrap();
        assert_eq!(done.ending, Ending::Cancelled);
    }

    #[test]
    fn long_output_does_not_block() {
        let done = shell("head -c 9000000 /dev/zero", &Limits::default());
        assert_eq!((done.ending, done.stdout.len()), (Ending::Exit(0), KEPT_BYTES as usize));
    }

    #[test]
    fn a_command_that_does_not_exist_is_an_error() {
        assert!(run(&mut Command::new("/does/not/exist"), &Limits::default(), &Budget::unlimited()).is_err());
    }
}
