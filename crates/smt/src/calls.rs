//! Calls into the solver: watched, limited, counted.
//!
//! Effort is counted in Z3's own units of work (`rlimit`), which do not depend on the clock: about seven million a second on linear
//! arithmetic. What a call used is taken from the budget; what the budget has left limits the next call.
//!
//! A question of somebody who takes turns is limited by the turns as well: it may take what is left of this one, or a few times as much as
//! all that was done before it, for which later turns pay. Cut off, it is asked again in the next turn, and may take
//! twice as much then: so it ends however small the turns are.

use crate::session::Undecided;
use crate::watchdog::Watch;
use crate::z3::raw::Lbool;
use craig_base::{Budget, Stop, Timer};
use std::cell::Cell;
use std::time::Duration;

/// A turn with less left does not cut a question off: asking again would cost more than it saves.
const LEAST: u64 = 50_000;
/// How many times all the work before it a question may take before a turn cuts it off. What is cut off is lost, and the answer of a
/// question that is asked again may be another one.
const OVERDRAFT: u64 = 3;

/// What a call into the solver is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Purpose {
    /// Whatever an engine asks that is none of the others.
    #[default]
    Search,
    /// Whether a step leads from a frame into a cube.
    Consecution,
    /// Whether a smaller cube can be excluded as well.
    Generalisation,
    Interpolation,
    /// Z3's engine for Horn clauses.
    Spacer,
    Projection,
    /// Certificates: making invariants readable. Their checker counts its own calls.
    Checking,
}

impl Purpose {
    pub const ALL: [Purpose; 7] = [
        Purpose::Search,
        Purpose::Consecution,
        Purpose::Generalisation,
        Purpose::Interpolation,
        Purpose::Spacer,
        Purpose::Projection,
        Purpose::Checking,
    ];
}

/// What the solver has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SolverStats {
    /// Calls into the solver that ask something, of all kinds.
    pub checks: u64,
    /// By purpose, in the order of [`Purpose::ALL`].
    pub purposes: [u64; Purpose::ALL.len()],
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Processor time inside the solver: questions, and what leads to them and comes from them (translation, assertions, models, cores, projection, Horn clauses).
    pub time: Duration,
    /// Z3's units of work.
    pub work: u64,
}

/// Makes the calls of one solver context.
pub struct Calls {
    watch: Watch,
    stats: Cell<SolverStats>,
    /// What the context had counted after the last call.
    counted: Cell<u64>,
    purpose: Cell<Purpose>,
    /// Time is being taken.
    timed: Cell<bool>,
}

impl Calls {
    pub fn new(watch: Watch) -> Calls {
        Calls {
            watch,
            stats: Cell::default(),
            counted: Cell::default(),
            purpose: Cell::default(),
            timed: Cell::default(),
        }
    }

    pub fn stats(&self) -> SolverStats {
        self.stats.get()
    }

    pub fn budget(&self) -> Budget {
        self.watch.budget()
    }

    /// Replaces the budget; returns the one before.
    pub fn set_budget(&self, budget: Budget) -> Budget {
        self.watch.set_budget(budget)
    }

    /// Does something that counts as time inside the solver.
    pub fn timed<T>(&self, work: impl FnOnce() -> T) -> T {
        if self.timed.replace(true) {
            return work();
        }
        let timer = Timer::start();
        let result = work();
        self.timed.set(false);
        let mut stats = self.stats.get();
        stats.time += timer.elapsed();
        self.stats.set(stats);
        result
    }

    /// One call that nothing but the watchdog ends. `count` reads what the context has counted.
    pub fn run<T>(&self, count: impl Fn() -> u64, call: impl FnOnce() -> T) -> Result<T, Undecided> {
        self.counted_run(&count, call).map(|(result, _)| result)
    }

    /// The result of a call and the units of work that it used.
    fn counted_run<T>(
        &self,
        count: &impl Fn() -> u64,
        call: impl FnOnce() -> T,
    ) -> Result<(T, u64), Undecided> {
        let before = count();
        let result = self.timed(|| self.watch.run(call)).map_err(Undecided::Stopped)?;
        let after = count();
        // What was asserted and read since the last call is work, too.
        let work = after.saturating_sub(self.counted.replace(after));
        let mut stats = self.stats.get();
        stats.work += work;
        self.stats.set(stats);
        self.watch.budget().spend(work);
        Ok((result, after.saturating_sub(before)))
    }

    /// Counts work that is done beside the solver.
    pub fn spend(&self, units: u64) {
        let mut stats = self.stats.get();
        stats.work += units;
        self.stats.set(stats);
        self.watch.budget().spend(units);
    }

    /// A question with at most `own` units of work. `ask` gets the limit, zero for none; `words` says why the last answer is unknown.
    pub fn ask(
        &self,
        own: Option<u32>,
        count: impl Fn() -> u64,
        mut ask: impl FnMut(u32) -> Lbool,
        words: impl Fn() -> String,
    ) -> Result<bool, Undecided> {
        let mut least = LEAST;
        loop {
            let budget = self.watch.budget();
            let slice =
                budget.slice_left().map(|left| left.max(least).max(OVERDRAFT * budget.spent_in_turns()));
            let limit = limit(own, budget.work_left(), slice);
            let without_turns = self::limit(own, budget.work_left(), None);
            let (answer, work) = self.counted_run(&count, || ask(limit))?;
            match answer {
                Lbool::True => return Ok(true),
                Lbool::False => return Ok(false),
                Lbool::Unknown => {}
            }
            if without_turns == 0 || limit < without_turns {
                // Alone it would not have been cut off; what it may do must not depend on the turns.
                budget.forgive(work);
            }
            if let Some(stop) = self.watch.stopped() {
                return Err(Undecided::Stopped(stop));
            }
            if limit == 0 || work < u64::from(limit) {
                return Err(Undecided::Incomplete(words()));
            }
            if own.is_some_and(|own| own <= limit) {
                return Err(Undecided::Work);
            }
            // Counting the work has waited for the next turn.
            least = least.max(2 * u64::from(limit));
        }
    }

    /// Does `work`, whose calls are for this purpose.
    pub fn as_part_of<T>(&self, purpose: Purpose, work: impl FnOnce() -> T) -> T {
        let before = self.purpose.replace(purpose);
        let result = work();
        self.purpose.set(before);
        result
    }

    /// Counts a call.
    pub fn count(&self, purpose: Purpose) {
        let mut stats = self.stats.get();
        stats.checks += 1;
        stats.purposes[purpose as usize] += 1;
        self.stats.set(stats);
    }

    /// Counts the answer to a check.
    pub fn note(&self, answer: &Result<bool, Undecided>) {
        self.count(self.purpose.get());
        let mut stats = self.stats.get();
        match answer {
            Ok(true) => stats.sat += 1,
            Ok(false) => stats.unsat += 1,
            Err(_) => stats.unknown += 1,
        }
        self.stats.set(stats);
    }
}

/// The limit of a question; zero for none.
fn limit(own: Option<u32>, work: Option<u64>, slice: Option<u64>) -> u32 {
    let clamp = |units: u64| u32::try_from(units.max(1)).unwrap_or(u32::MAX);
    let left = work.into_iter().chain(slice).map(clamp);
    own.into_iter().chain(left).min().unwrap_or(0)
}

impl From<Stop> for Undecided {
    fn from(stop: Stop) -> Self {
        Undecided::Stopped(stop)
    }
}

#[cfg(test)]
mod tests {
    use super::limit;

    #[test]
    fn the_least_limit_counts() {
        assert_eq!(limit(None, None, None), 0);
        assert_eq!(limit(Some(700), Some(5000), None), 700);
        assert_eq!(limit(Some(700), Some(500), Some(9000)), 500);
        assert_eq!(limit(None, Some(u64::MAX), Some(1 << 40)), u32::MAX);
        assert_eq!(limit(None, Some(0), None), 1);
    }
}
