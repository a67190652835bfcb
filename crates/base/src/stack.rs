//! Threads with big stacks: programs nest deeply, and so do the functions that walk them.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Sizes to try; the pages are only taken when they are touched.
const SIZES: [usize; 3] = [512 << 20, 128 << 20, 32 << 20];

/// Starts work on a thread of its own, with the biggest stack that can be had.
pub fn spawn<'scope, 'env: 'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    try_sizes(name, work, |builder, run| builder.spawn_scoped(scope, run))
}

/// As [`spawn`], for work that nobody has to wait for.
pub fn spawn_detached<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    try_sizes(name, work, |builder, run| builder.spawn(run))
}

fn try_sizes<'a, T, H>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'a,
    start: impl Fn(Builder, Box<dyn FnOnce() -> T + Send + 'a>) -> io::Result<H>,
) -> io::Result<H> {
    // Handed over through a slot, because a thread that could not be started keeps its closure.
    let slot = Arc::new(Mutex::new(Some(work)));
    let mut result = Err(io::ErrorKind::OutOfMemory.into());
    for size in SIZES {
        let slot = Arc::clone(&slot);
        let run = move || {
            let work = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
            work.map(|work| work()).expect("work is handed over once")
        };
        result = start(Builder::new().name(name.into()).stack_size(size), Box::new(run));
        if result.is_ok() {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_recursion_fits() {
        fn depth(n: u64) -> u64 {
            let frame = std::hint::black_box([n; 32]);
            if n == 0 { frame[0] } else { depth(n - 1) + std::hint::black_box(frame)[31] / n }
        }
        let found = std::thread::scope(|scope| spawn(scope, "deep", || depth(200_000)).unwrap().join());
        assert_eq!(found.unwrap(), 200_000);
    }
}
