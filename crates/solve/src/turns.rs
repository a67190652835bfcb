//! Several engines that take turns, until one has a verdict.
//!
//! What is easy for any of them is quick: the first turns are short, and each round is twice as long as the one before. Who was not quick is
//! mostly not slow but hopeless, except for the main ones, mostly the first, which in longer rounds get most of the work. Turns are
//! counted in work, so that the same engine wins on a busy machine as on an idle one. Each engine runs on a thread of its own and goes
//! on where it stopped; only one works at a time. Who has found something says so out of turn: judging it is not put off.

use craig_base::{Budget, Turns, stack};
use craig_engine::{Observer, Progress};
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Units of work of a first turn: about 5 ms. Four times as long, programs that the second engine decides at once cost up to twice as much.
const FIRST: u64 = 35_000;
/// The longest turn, about 20 s: by then nobody is quick any more.
const LONGEST: u64 = 140_000_000;
/// Turns up to the first of these lengths, about 10 ms, are equal. Then the others get half of the first one's turn, beyond the second, about
/// half a second, an eighth. With equal turns programs were lost that predicate abstraction decides in less than half of the time: a
/// unit of work in the long formulas of bounded model checking takes up to six times as long as in those of single paths.
const EQUAL: u64 = 70_000;
const LONG: u64 = 3_500_000;
/// A thread that counts no work is waited for so many times as long as its turn should take, and a little more.
const PATIENCE: u32 = 20;
const LEAST_PATIENCE: Duration = Duration::from_secs(2);
/// Units of work in a second, roughly.
const PER_SECOND: u64 = 7_000_000;

/// The turn of a work in a round.
fn turn(is_main: bool, slice: u64) -> u64 {
    if is_main || slice <= EQUAL {
        slice
    } else if slice <= LONG {
        (slice / 2).max(EQUAL)
    } else {
        slice / 8
    }
}

/// Runs the works in turns, the `main` ones first, until `is_final` says of a result that the others need not go on; all results, in the order of the works.
pub fn take_turns<W, T>(
    works: Vec<W>,
    main: usize,
    budget: &Budget,
    observer: &mut dyn Observer,
    mut is_final: impl FnMut(&T) -> bool,
) -> Vec<T>
where
    W: FnOnce(&Budget, &mut dyn Observer) -> T + Send,
    T: Send,
{
    let observer = Mutex::new(observer);
    let all = budget.child();
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for work in works {
            let turns: Arc<Turns> = Arc::default();
            let part = all.with_turns(Arc::clone(&turns));
            let (worker, observer) = (Arc::clone(&turns), &observer);
            let run = move || {
                let _done = worker.until_done();
                // Nothing is done before the first turn; what ended before that ends by itself.
                let _ = part.check();
                work(&part, &mut Shared(observer))
            };
            match stack::spawn(scope, "engine", run) {
                Ok(thread) => threads.push((turns, Some(thread))),
                // Fewer engines are better than none.
                Err(_) => turns.release(),
            }
        }
        let mut results: Vec<Option<T>> = threads.iter().map(|_| None).collect();
        let mut slice = FIRST;
        let mut decided = false;
        while !decided && results.iter().any(Option::is_none) {
            for i in 0..threads.len() {
                if decided {
                    break;
                }
                // Somebody may come to an end out of turn.
                let ended = |(turns, thread): &(Arc<Turns>, Option<_>)| thread.is_some() && turns.is_done();
                let others = || threads.iter().enumerate().any(|(j, other)| j != i && ended(other));
                if threads[i].1.is_some() {
                    let units = turn(i < main, slice);
                    let nominal = Duration::from_millis(units * 1000 / PER_SECOND);
                    threads[i].0.give(units, LEAST_PATIENCE + nominal * PATIENCE, others);
                }
                for (j, (turns, thread)) in threads.iter_mut().enumerate() {
                    if let Some(thread) = thread.take_if(|_| turns.is_done()) {
                        let result = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
                        decided |= is_final(&result);
                        results[j] = Some(result);
                    }
                }
            }
            slice = (slice * 2).min(LONGEST);
        }
        all.cancel();
        // Those that wait for their turn see at once that there is none.
        threads.iter().for_each(|(turns, _)| turns.release());
        for (i, (_, thread)) in threads.into_iter().enumerate() {
            if let Some(thread) = thread {
                results[i] = Some(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
        }
        results.into_iter().flatten().collect()
    })
}

/// An observer that several threads tell.
struct Shared<'a, 'b>(&'a Mutex<&'b mut dyn Observer>);

impl Observer for Shared<'_, '_> {
    fn progress(&mut self, progress: &Progress) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).progress(progress);
    }

    fn detail(&mut self, text: &dyn Fn() -> String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).detail(text);
    }

    fn picture(&mut self, name: &str, dot: &dyn Fn() -> String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).picture(name, dot);
    }

    fn script(&mut self, name: &str, text: &dyn Fn() -> String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).script(name, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use craig_engine::Silent;

    /// Spends so much work in small steps; how much it did before it was stopped.
    fn worker(total: u64) -> impl FnOnce(&Budget, &mut dyn Observer) -> u64 + Send {
        move |budget, _| {
            let mut done = 0;
            while done < total && budget.check().is_ok() {
                budget.spend(1000);
                done += 1000;
            }
            done
        }
    }

    #[test]
    fn the_first_to_decide_ends_the_others() {
        let works = vec![worker(u64::MAX), worker(300_000), worker(u64::MAX)];
        let found = take_turns(works, 1, &Budget::unlimited(), &mut Silent, |done| *done == 300_000);
        // The second needs three rounds and a part of the fourth, in which the first has had all its turn.
        assert_eq!(found, [525_000, 300_000, 175_000]);
    }

    #[test]
    fn all_end_by_themselves_or_with_their_budget() {
        let found =
            take_turns(vec![worker(5000), worker(7000)], 1, &Budget::unlimited(), &mut Silent, |_| false);
        assert_eq!(found, [5000, 7000]);
        let budget = Budget::unlimited().with_work(50_000);
        let found = take_turns(vec![worker(u64::MAX), worker(u64::MAX)], 1, &budget, &mut Silent, |_| false);
        assert_eq!(found.iter().sum::<u64>(), 50_000);
    }
}
