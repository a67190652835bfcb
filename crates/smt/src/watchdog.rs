//! Ends solver calls whose budget has run out.
//!
//! One thread per process looks at the calls under way every few milliseconds and interrupts those whose [`Budget`]
//! says stop: by the clock, by processor time, by cancellation from another thread, now and then by memory. Z3's own timeouts would
//! start a thread per call, which costs more than most calls. Limits of work are not its business: Z3 keeps them itself.

use craig_base::{Budget, Stop};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::Duration;

/// How often the thread looks.
const PERIOD: Duration = Duration::from_millis(5);
/// Memory is looked at every so many rounds: that reads a file.
const MEMORY_ROUNDS: u32 = 20;

struct State {
    budget: Budget,
    active: bool,
    /// Why the call was interrupted, if it was: memory may be free again and processor time is not looked at every time.
    interrupted: Option<Stop>,
}

type Action = Box<dyn Fn() + Send>;

struct Slot {
    state: Mutex<State>,
    action: Mutex<Action>,
}

/// The watch over one solver context.
pub struct Watch {
    slot: Arc<Slot>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// `action` interrupts the solver; it is called from another thread, possibly several times.
    pub fn new(budget: Budget, action: impl Fn() + Send + 'static) -> Watch {
        let state = Mutex::new(State { budget, active: false, interrupted: None });
        let slot = Arc::new(Slot { state, action: Mutex::new(Box::new(action)) });
        register(Arc::downgrade(&slot));
        Watch { slot }
    }

    /// The budget of the calls from now on; returns the one before.
    pub fn set_budget(&self, budget: Budget) -> Budget {
        std::mem::replace(&mut lock(&self.slot.state).budget, budget)
    }

    pub fn budget(&self) -> Budget {
        lock(&self.slot.state).budget.clone()
    }

    /// Why the last call was interrupted or the budget is used up, if so.
    pub fn stopped(&self) -> Option<Stop> {
        let state = lock(&self.slot.state);
        state.interrupted.or_else(|| state.budget.stopped())
    }

    /// Runs a solver call under watch, unless the budget is used up already.
    pub fn run<T>(&self, call: impl FnOnce() -> T) -> Result<T, Stop> {
        {
            let budget = self.budget();
            budget.check()?;
            let mut state = lock(&self.slot.state);
            state.active = true;
            state.interrupted = None;
        }
        let result = call();
        lock(&self.slot.state).active = false;
        Ok(result)
    }
}

fn register(slot: Weak<Slot>) {
    static SLOTS: OnceLock<Arc<Mutex<Vec<Weak<Slot>>>>> = OnceLock::new();
    let slots = SLOTS.get_or_init(|| {
        let slots: Arc<Mutex<Vec<Weak<Slot>>>> = Arc::default();
        let seen = Arc::clone(&slots);
        thread::Builder::new()
            .name("solver-watchdog".into())
            .spawn(move || watch(&seen))
            .expect("a thread can be started");
        slots
    });
    lock(slots).push(slot);
}

fn watch(slots: &Mutex<Vec<Weak<Slot>>>) {
    let mut round = 0u32;
    loop {
        thread::sleep(PERIOD);
        round = round.wrapping_add(1);
        let mut living = Vec::new();
        lock(slots).retain(|slot| match slot.upgrade() {
            Some(slot) => {
                living.push(slot);
                true
            }
            None => false,
        });
        for slot in living {
            // The lock is held while interrupting, so that the call cannot be another one meanwhile. An interruption that comes after
            // the solver is done does nothing: Z3 forgets it before the next call.
            let mut state = lock(&slot.state);
            if !state.active {
                continue;
            }
            let stop = if round.is_multiple_of(MEMORY_ROUNDS) {
                state.budget.stopped_by_memory()
            } else {
                state.budget.stopped()
            };
            if let Some(stop) = stop {
                state.interrupted.get_or_insert(stop);
                (lock(&slot.action))();
            }
        }
    }
}
