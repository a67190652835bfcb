//! Threads with big stacks: programs nest deeply, and so do the functions that walk them.

use std::io;
use std::sync::Mutex;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Sizes to try; the pages are only taken when they are touched.
const SIZES: [usize; 3] = [512 << 20, 128 << 20, 32 << 20];

/// Starts work on a thread of its own, with the biggest stack that can be had.
pub fn spawn<'scope, 'env: 'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    // Handed over through a slot, because a thread that could not be started keeps its closure.
    let slot = std::sync::Arc::new(Mutex::new(Some(work)));
    let mut result = Err(io::ErrorKind::OutOfMemory.into());
    for size in SIZES {
        let slot = std::sync::Arc::clone(&slot);
        let run = move || {
            let work = slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
            work.map(|work| work()).expect("work is handed over once")
        };
        result = Builder::new().name(name.into()).stack_size(size).spawn_scoped(scope, run);
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
