//! Taking turns: several threads of which one works at a time, each for a slice of work.
//!
//! Slices are counted in units of work ([`crate::Budget::spend`]), not by a clock, so that who is how far when does not depend on how
//! busy the machine is. One thread gives the turns ([`Turns::give`]); the others meet it in [`crate::Budget::check`].

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a thread waits before it looks again whether its budget has ended meanwhile.
const LOOK: Duration = Duration::from_millis(10);

/// The turns of one thread.
#[derive(Debug, Default)]
pub struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Units of work that are left of this turn.
    left: u64,
    /// Units that were used beyond earlier turns, by work that could not be interrupted; later turns pay for them.
    debt: u64,
    /// Nobody counts any more.
    free: bool,
    /// Nobody counts for the time being.
    urgent: bool,
    /// The thread has ended.
    done: bool,
}

impl Turns {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn left(&self) -> u64 {
        let state = self.lock();
        if state.free || state.urgent { u64::MAX } else { state.left }
    }

    pub(crate) fn spend(&self, units: u64) {
        let mut state = self.lock();
        if state.urgent {
            return;
        }
        state.debt += units.saturating_sub(state.left);
        state.left = state.left.saturating_sub(units);
        if state.left == 0 {
            self.changed.notify_all();
        }
    }

    pub(crate) fn end(&self) {
        let left = self.lock().left;
        self.spend(left);
    }

    pub(crate) fn set_urgent(&self, urgent: bool) {
        self.lock().urgent = urgent;
        self.changed.notify_all();
    }

    pub fn is_done(&self) -> bool {
        self.lock().done
    }

    /// Waits until it is the thread's turn, or `stopped`.
    pub(crate) fn wait(&self, stopped: impl Fn() -> bool) {
        let mut state = self.lock();
        while state.left == 0 && !state.free && !state.urgent && !stopped() {
            state = self.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Gives the thread a turn of so many units, less what it owes; waits until they are used up or the thread has ended. Says whether it has.
    ///
    /// A thread that counts no work for longer than `patience` loses the rest of its turn, and stops when it next looks: what is not
    /// counted must not keep the others waiting for ever. The turn ends as well when there has been `enough`.
    pub fn give(&self, units: u64, patience: Duration, enough: impl Fn() -> bool) -> bool {
        let end = Instant::now() + patience;
        let mut state = self.lock();
        let paid = units.min(state.debt);
        state.debt -= paid;
        state.left = units - paid;
        self.changed.notify_all();
        while state.left > 0 && !state.done {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || enough() {
                state.left = 0;
                break;
            }
            state =
                self.changed.wait_timeout(state, left.min(LOOK)).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.done
    }

    /// Lets the thread run to its end without turns.
    pub fn release(&self) {
        self.lock().free = true;
        self.changed.notify_all();
    }

    /// To be dropped when the thread ends, however it ends.
    pub fn until_done(&self) -> Done<'_> {
        Done(self)
    }
}

/// Tells when dropped that the thread has ended.
#[derive(Debug)]
pub struct Done<'a>(&'a Turns);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.lock().done = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn one_works_at_a_time() {
        let log = Arc::new(Mutex::new(Vec::new()));
        let root = Budget::unlimited();
        thread::scope(|scope| {
            let turns: Vec<Arc<Turns>> = (0..2).map(|_| Arc::default()).collect();
            for (name, turns) in turns.iter().enumerate() {
                let (turns, log) = (Arc::clone(turns), Arc::clone(&log));
                let budget = root.with_turns(Arc::clone(&turns));
                scope.spawn(move || {
                    let _done = turns.until_done();
                    for step in 0..6 {
                        budget.check().unwrap();
                        log.lock().unwrap().push((name, step));
                        budget.spend(10);
                    }
                });
            }
            let mut slice = 10;
            let mut done = [false; 2];
            while done != [true; 2] {
                for (turns, done) in turns.iter().zip(&mut done).filter(|(_, done)| !**done) {
                    *done = turns.give(slice, Duration::from_secs(1000), || false);
                }
                slice *= 2;
            }
        });
        let order: Vec<usize> = log.lock().unwrap().iter().map(|(name, _)| *name).collect();
        assert_eq!(order, [0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn who_takes_more_than_its_turn_waits_for_longer() {
        let turns: Arc<Turns> = Arc::default();
        let budget = Budget::unlimited().with_turns(Arc::clone(&turns));
        let worker = {
            let turns = Arc::clone(&turns);
            thread::spawn(move || {
                let _done = turns.until_done();
                budget.check().unwrap();
                budget.spend(35);
                budget.check().unwrap();
            })
        };
        // 25 units are owed after the first turn, 5 after the third; the fourth lets it go on.
        let ended: Vec<bool> = (0..5).map(|_| turns.give(10, Duration::from_secs(1000), || false)).collect();
        worker.join().unwrap();
        assert_eq!(ended, [false, false, false, true, true]);
    }

    #[test]
    fn what_is_urgent_waits_for_no_turn_and_costs_none() {
        let turns: Arc<Turns> = Arc::default();
        let budget = Budget::unlimited().with_turns(Arc::clone(&turns));
        {
            let _at_once = budget.out_of_turn();
            assert_eq!((budget.check(), budget.slice_left()), (Ok(()), Some(u64::MAX)));
            budget.spend(1000);
        }
        assert_eq!((budget.slice_left(), budget.spent(), turns.lock().debt), (Some(0), 1000, 0));
    }

    #[test]
    fn a_turn_ends_when_there_has_been_enough() {
        let turns: Arc<Turns> = Arc::default();
        assert!(!turns.give(10, Duration::from_secs(1000), || true));
        assert_eq!(turns.left(), 0);
    }

    #[test]
    fn a_thread_that_waits_for_its_turn_can_be_cancelled() {
        let budget = Budget::unlimited();
        let turns: Arc<Turns> = Arc::default();
        let part = budget.with_turns(turns);
        let waiting = thread::spawn(move || part.check());
        budget.cancel();
        assert_eq!(waiting.join().unwrap(), Err(crate::Stop::Cancelled));
    }
}
