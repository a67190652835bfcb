//! The budget of a run: wall-clock time, memory, cancellation from outside.
//!
//! One [`Budget`] is made when a run starts and handed down to everything that may take long. Code in loops
//! calls [`Budget::check`]; it costs an atomic load and, now and then, a look at the clock.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a run has to stop before it has an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stop {
    /// The time limit has passed.
    Time,
    /// The process holds more memory than allowed.
    Memory,
    /// Somebody asked it to stop (Ctrl-C, or another engine was faster).
    Cancelled,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Time => "time limit",
            Stop::Memory => "memory limit",
            Stop::Cancelled => "interrupted",
        })
    }
}

impl std::error::Error for Stop {}

/// Limits of a run. Clones share the cancellation flag, so a clone may be cancelled from another thread.
#[derive(Debug, Clone)]
pub struct Budget {
    deadline: Option<Instant>,
    memory_bytes: Option<u64>,
    cancelled: Arc<AtomicBool>,
}

impl Default for Budget {
    fn default() -> Self {
        Budget::unlimited()
    }
}

impl Budget {
    pub fn unlimited() -> Self {
        Budget { deadline: None, memory_bytes: None, cancelled: Arc::new(AtomicBool::new(false)) }
    }

    /// This budget with at most `limit` from now on; an earlier deadline stays.
    #[must_use]
    pub fn with_time(&self, limit: Duration) -> Self {
        let deadline = Instant::now() + limit;
        let deadline = Some(self.deadline.map_or(deadline, |d| d.min(deadline)));
        Budget { deadline, ..self.clone() }
    }

    /// This budget with a limit on the resident memory of the whole process.
    #[must_use]
    pub fn with_memory(&self, bytes: u64) -> Self {
        Budget { memory_bytes: Some(bytes), ..self.clone() }
    }

    /// The same limits with a cancellation flag of its own: cancelling the part leaves the whole running.
    /// Cancelling the whole does not reach the part; pass clones where it should.
    #[must_use]
    pub fn detached(&self) -> Self {
        Budget { cancelled: Arc::new(AtomicBool::new(false)), ..self.clone() }
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The shared flag itself, for signal handlers.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// What is left of the time limit; `None` means no limit.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|d| d.saturating_duration_since(Instant::now()))
    }

    /// `Ok` while the run may go on.
    pub fn check(&self) -> Result<(), Stop> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        if self.deadline.is_some_and(|d| Instant::now() >= d) {
            return Err(Stop::Time);
        }
        Ok(())
    }

    /// Like [`Budget::check`], and looks at the memory of the process too (a file read: not for inner loops).
    pub fn check_memory(&self) -> Result<(), Stop> {
        self.check()?;
        match (self.memory_bytes, resident_bytes()) {
            (Some(limit), Some(now)) if now > limit => Err(Stop::Memory),
            _ => Ok(()),
        }
    }
}

/// Resident memory of this process, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_by_time_and_by_cancellation() {
        let budget = Budget::unlimited();
        assert_eq!(budget.check(), Ok(()));
        assert_eq!(budget.with_time(Duration::ZERO).check(), Err(Stop::Time));
        let part = budget.detached();
        part.cancel();
        assert_eq!(part.check(), Err(Stop::Cancelled));
        assert_eq!(budget.check(), Ok(()));
        budget.clone().cancel();
        assert_eq!(budget.check(), Err(Stop::Cancelled));
    }

    #[test]
    fn a_longer_limit_does_not_extend_a_shorter_one() {
        let short = Budget::unlimited().with_time(Duration::from_secs(1));
        assert!(short.with_time(Duration::from_secs(100)).time_left().unwrap() <= Duration::from_secs(1));
    }

    #[test]
    fn memory_is_seen() {
        assert_eq!(Budget::unlimited().with_memory(1).check_memory(), Err(Stop::Memory));
        assert_eq!(Budget::unlimited().with_memory(u64::MAX).check_memory(), Ok(()));
    }
}
