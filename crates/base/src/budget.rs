//! The budget of a run: time, processor time, memory, work, cancellation.
//!
//! Budgets form a tree. The root is made when the process starts to work; a part of the work gets a child, with limits of its own
//! if it needs them. Whatever ends a budget ends all below it, and nothing above it. Code in loops calls [`Budget::check`],
//! which costs a few loads and a look at the clock.
//!
//! *Work* is counted in units that no clock disturbs: the solver's own units (some million a second) and, around it, as many
//! units as take about as long ([`Budget::spend`]). Effort that changes a result is limited in these, so that a busy machine gives the same
//! answer as an idle one, later.
//!
//! A budget may belong to somebody who takes turns ([`Turns`]): then `check` waits until it is that one's turn again.

use crate::turns::Turns;
use rustix::time::{ClockId, clock_gettime};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Why a run has to stop before it has an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stop {
    /// The limit on wall-clock time has passed.
    Time,
    /// The limit on the processor time of the process has passed.
    Cpu,
    /// The process holds more memory than allowed.
    Memory,
    /// The units of work are used up.
    Work,
    /// Somebody asked it to stop (Ctrl-C, or another engine was faster).
    Cancelled,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Time => "time limit",
            Stop::Cpu => "CPU limit",
            Stop::Memory => "memory limit",
            Stop::Work => "work limit",
            Stop::Cancelled => "interrupted",
        })
    }
}

impl std::error::Error for Stop {}

/// A node of the tree of budgets. Clones are the same node.
#[derive(Debug, Clone)]
pub struct Budget(Arc<Node>);

#[derive(Debug, Default)]
struct Node {
    parent: Option<Budget>,
    cancelled: AtomicBool,
    deadline: Option<Instant>,
    cpu: Option<CpuLimit>,
    memory_bytes: Option<u64>,
    /// Units of work that were done.
    spent: AtomicU64,
    /// Units of work that are left.
    work: Option<AtomicU64>,
    turn: Option<Arc<Turns>>,
}

/// A limit on the processor time of the process. Asking for that is a call into the system, so that it is asked only when the
/// limit can have passed: it grows no faster than the clock times the number of processors.
#[derive(Debug)]
struct CpuLimit {
    limit: Duration,
    started: Instant,
    /// When to look next, in nanoseconds from the start.
    next: AtomicU64,
}

impl CpuLimit {
    fn passed(&self, now: Instant) -> bool {
        let at = now.saturating_duration_since(self.started).as_nanos() as u64;
        if at < self.next.load(Ordering::Relaxed) {
            return false;
        }
        let left = self.limit.saturating_sub(cpu_time());
        if left.is_zero() {
            return true;
        }
        let processors = std::thread::available_parallelism().map_or(1, |n| n.get()) as u32;
        let pause = (left / processors).max(Duration::from_millis(1)).as_nanos() as u64;
        self.next.store(at + pause, Ordering::Relaxed);
        false
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget::unlimited()
    }
}

impl Budget {
    pub fn unlimited() -> Self {
        Budget(Arc::new(Node::default()))
    }

    fn with(&self, node: Node) -> Self {
        Budget(Arc::new(Node { parent: Some(self.clone()), ..node }))
    }

    /// A part of this budget that can be cancelled on its own.
    #[must_use]
    pub fn child(&self) -> Self {
        self.with(Node::default())
    }

    /// A part with at most `limit` from now on.
    #[must_use]
    pub fn with_time(&self, limit: Duration) -> Self {
        self.with(Node { deadline: Instant::now().checked_add(limit), ..Node::default() })
    }

    /// A part with at most `limit` of processor time of the whole process from now on.
    #[must_use]
    pub fn with_cpu(&self, limit: Duration) -> Self {
        let limit = cpu_time().saturating_add(limit);
        let cpu = Some(CpuLimit { limit, started: Instant::now(), next: AtomicU64::new(0) });
        self.with(Node { cpu, ..Node::default() })
    }

    /// A part with a limit on the resident memory of the whole process.
    #[must_use]
    pub fn with_memory(&self, bytes: u64) -> Self {
        self.with(Node { memory_bytes: Some(bytes), ..Node::default() })
    }

    /// A part with at most so many units of work.
    #[must_use]
    pub fn with_work(&self, units: u64) -> Self {
        self.with(Node { work: Some(AtomicU64::new(units)), ..Node::default() })
    }

    /// A part that goes on only while it is its turn.
    #[must_use]
    pub fn with_turns(&self, turns: Arc<Turns>) -> Self {
        self.with(Node { turn: Some(turns), ..Node::default() })
    }

    /// The nodes from this one to the root.
    fn path(&self) -> impl Iterator<Item = &Node> {
        std::iter::successors(Some(&*self.0), |node| node.parent.as_ref().map(|parent| &*parent.0))
    }

    /// Ends this budget and all below it.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// What is left of the limits on wall-clock time; `None` means no limit.
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.path().filter_map(|node| node.deadline).min()?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// What is left of the limits on work; `None` means no limit.
    pub fn work_left(&self) -> Option<u64> {
        self.path().filter_map(|node| node.work.as_ref()).map(|work| work.load(Ordering::Relaxed)).min()
    }

    /// What is left of the slice of work of this turn; `None` if nobody takes turns.
    pub fn slice_left(&self) -> Option<u64> {
        self.path().filter_map(|node| node.turn.as_ref()).map(|turn| turn.left()).min()
    }

    /// Work that was done on this budget and all below it.
    pub fn spent(&self) -> u64 {
        self.0.spent.load(Ordering::Relaxed)
    }

    /// Work that was done by the one who takes turns; 0 if nobody does.
    pub fn spent_in_turns(&self) -> u64 {
        let taking_turns = self.path().find(|node| node.turn.is_some());
        taking_turns.map_or(0, |node| node.spent.load(Ordering::Relaxed))
    }

    /// Counts work that was done. If it used up the slice of this turn, the next [`Budget::check`] waits: who has just found something can still
    /// say so.
    pub fn spend(&self, units: u64) {
        for node in self.path() {
            node.spent.fetch_add(units, Ordering::Relaxed);
            if let Some(work) = &node.work {
                less(work, units);
            }
            if let Some(turn) = &node.turn {
                turn.spend(units);
            }
        }
    }

    /// What is done while the guard lives is done at once, whoever's turn it is.
    pub fn out_of_turn(&self) -> OutOfTurn {
        let turns: Vec<Arc<Turns>> = self.path().filter_map(|node| node.turn.clone()).collect();
        turns.iter().for_each(|turn| turn.set_urgent(true));
        OutOfTurn(turns)
    }

    /// Work that is lost because a turn ended, and done again in the next one, does not count for limits within the turns.
    pub fn forgive(&self, units: u64) {
        for node in self.path().take_while(|node| node.turn.is_none()) {
            if let Some(work) = &node.work {
                work.fetch_add(units, Ordering::Relaxed);
            }
        }
    }

    /// Gives the rest of this turn to the others, and waits for the next one.
    pub fn end_turn(&self) {
        self.path().filter_map(|node| node.turn.as_ref()).for_each(|turn| turn.end());
        self.wait_for_turn();
    }

    fn wait_for_turn(&self) {
        for turn in self.path().filter_map(|node| node.turn.as_ref()) {
            turn.wait(|| self.stopped().is_some());
        }
    }

    /// Why the budget has ended, if it has. Never waits; looks at no memory.
    pub fn stopped(&self) -> Option<Stop> {
        let mut now = None;
        for node in self.path() {
            if node.cancelled.load(Ordering::Relaxed) {
                return Some(Stop::Cancelled);
            }
            if node.work.as_ref().is_some_and(|work| work.load(Ordering::Relaxed) == 0) {
                return Some(Stop::Work);
            }
            if node.deadline.is_some() || node.cpu.is_some() {
                let now = *now.get_or_insert_with(Instant::now);
                if node.deadline.is_some_and(|deadline| now >= deadline) {
                    return Some(Stop::Time);
                }
                if node.cpu.as_ref().is_some_and(|cpu| cpu.passed(now)) {
                    return Some(Stop::Cpu);
                }
            }
        }
        None
    }

    /// As [`Budget::stopped`], and looks at the memory of the process too (a file read: not for inner loops).
    pub fn stopped_by_memory(&self) -> Option<Stop> {
        self.stopped().or_else(|| {
            let limit = self.path().filter_map(|node| node.memory_bytes).min()?;
            (resident_bytes()? > limit).then_some(Stop::Memory)
        })
    }

    /// `Ok` while the run may go on. Waits for its turn, if it takes turns.
    pub fn check(&self) -> Result<(), Stop> {
        self.wait_for_turn();
        self.stopped().map_or(Ok(()), Err)
    }

    /// Like [`Budget::check`], and looks at the memory of the process too (a file read: not for inner loops).
    pub fn check_memory(&self) -> Result<(), Stop> {
        self.wait_for_turn();
        self.stopped_by_memory().map_or(Ok(()), Err)
    }
}

/// Takes units of work away, as far as there are any. Several threads may do so at once.
fn less(work: &AtomicU64, units: u64) {
    let left = |known: u64| Some(known.saturating_sub(units));
    let _ = work.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
}

/// Somebody does not wait for turns as long as it lives.
#[derive(Debug)]
pub struct OutOfTurn(Vec<Arc<Turns>>);

impl Drop for OutOfTurn {
    fn drop(&mut self) {
        self.0.iter().for_each(|turn| turn.set_urgent(false));
    }
}

/// Checks a budget every so many steps of a loop whose steps are too small for a check each.
#[derive(Debug)]
pub struct Pace<'a> {
    budget: &'a Budget,
    steps: u32,
}

impl<'a> Pace<'a> {
    /// Steps between two checks; also what these count as work.
    const STRIDE: u32 = 256;

    pub fn new(budget: &'a Budget) -> Self {
        Pace { budget, steps: 0 }
    }

    /// One step more.
    pub fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps < Self::STRIDE {
            return Ok(());
        }
        self.steps = 0;
        self.budget.spend(u64::from(Self::STRIDE));
        self.budget.check()
    }
}

/// Processor time that this process has used.
pub fn cpu_time() -> Duration {
    let cpu = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(cpu.tv_sec.unsigned_abs(), cpu.tv_nsec.unsigned_abs() as u32)
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
    fn a_budget_ends_by_time_by_work_and_by_cancellation() {
        let budget = Budget::unlimited();
        assert_eq!(budget.check(), Ok(()));
        assert_eq!(budget.with_time(Duration::ZERO).check(), Err(Stop::Time));
        assert_eq!(budget.with_cpu(Duration::ZERO).check(), Err(Stop::Cpu));
        let work = budget.with_work(10);
        work.spend(9);
        assert_eq!((work.check(), work.work_left()), (Ok(()), Some(1)));
        work.child().spend(5);
        assert_eq!((work.check(), work.spent()), (Err(Stop::Work), 14));
    }

    #[test]
    fn what_ends_a_budget_ends_all_below_it_and_nothing_above() {
        let root = Budget::unlimited();
        let (part, other) = (root.child(), root.with_time(Duration::from_secs(1000)));
        let below = part.with_time(Duration::from_secs(1000));
        part.cancel();
        assert_eq!(below.check(), Err(Stop::Cancelled));
        assert_eq!((root.check(), other.check()), (Ok(()), Ok(())));
        root.clone().cancel();
        assert_eq!(other.check(), Err(Stop::Cancelled));
    }

    #[test]
    fn a_longer_limit_does_not_extend_a_shorter_one() {
        let short = Budget::unlimited().with_time(Duration::from_secs(1));
        assert!(short.with_time(Duration::from_secs(100)).time_left().unwrap() <= Duration::from_secs(1));
        assert_eq!(short.with_work(3).with_work(100).work_left(), Some(3));
    }

    #[test]
    fn processor_time_is_seen_while_it_is_used() {
        let budget = Budget::unlimited().with_cpu(Duration::from_millis(30));
        let start = cpu_time();
        while budget.check().is_ok() {
            std::hint::black_box(0);
        }
        assert!(cpu_time() - start >= Duration::from_millis(30));
        assert_eq!(budget.check(), Err(Stop::Cpu), "and stays so");
    }

    #[test]
    fn memory_is_seen() {
        assert_eq!(Budget::unlimited().with_memory(1).check_memory(), Err(Stop::Memory));
        assert_eq!(Budget::unlimited().with_memory(u64::MAX).check_memory(), Ok(()));
    }

    #[test]
    fn small_steps_are_checked_now_and_then() {
        let budget = Budget::unlimited().with_work(1000);
        let mut pace = Pace::new(&budget);
        let steps = (0..).take_while(|_| pace.step().is_ok()).count();
        assert!((1000..2000).contains(&steps), "{steps}");
    }
}
