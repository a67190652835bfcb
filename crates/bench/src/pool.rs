//! Many jobs side by side.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Runs `work` for every item on `jobs` threads and hands each result to `done`, on the calling thread, in the order in which they
/// come. With `progress`, a terminal shows a bar meanwhile, and beside it what `done` says about all so far.
pub fn for_each<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    progress: bool,
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(usize, R) -> String,
) {
    let target = if progress { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(items.len() as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} (left: {eta}) {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, results) = channel();
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                while let Some((index, item)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, items.get(i)?)))
                {
                    if sender.send((index, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (index, result) in results {
            bar.set_message(done(index, result));
            bar.inc(1);
        }
    });
    bar.finish_and_clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once() {
        for jobs in [0, 1, 3, 100] {
            let items: Vec<usize> = (0..20).collect();
            let mut seen = Vec::new();
            let keep = |i, square| {
                seen.push((i, square));
                seen.len().to_string()
            };
            for_each(&items, jobs, false, |n| n * n, keep);
            seen.sort_unstable();
            assert_eq!(seen, items.iter().map(|n| (*n, n * n)).collect::<Vec<_>>());
        }
        for_each(&[], 2, false, |n: &usize| *n, |_, _| panic!("there was nothing to do"));
    }
}
