//! Checks many random programs: `cargo run --release -p craig-fuzz --example fuzz -- 2000 1` takes those of the seeds 1 to 2000. More words:
//!
//! - `large`: larger programs;
//! - `engines`: only what engines answer, no paths;
//! - `bmc` and other names of engines: only these;
//! - `every`: each engine in every reading of arithmetic, with more work for an answer and four runs of each program;
//! - `whole`: what fails is shown as it is, not made small;
//! - `threads=2`: so many at once.
//!
//! Failures and the tally of all go to stdout, the progress to stderr.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use craig_fuzz::{Checks, driver};
use craig_testgen::Size;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok());
    let (Some(count), Some(first)) = (number(0), number(1)) else {
        println!("usage: fuzz COUNT FIRST-SEED [large] [engines] [ENGINE..] [every] [whole] [threads=N]");
        return;
    };
    let says = |word: &str| args.iter().skip(2).any(|a| a == word);
    let mut checks = Checks::default();
    if says("large") {
        checks.size = Size { globals: 6, functions: 3, statements: 6, depth: 3, rounds: 4 };
        checks.answer = 1_200_000;
    }
    if says("engines") {
        checks.runs = 0;
    }
    if checks.engines.iter().any(|e| says(e.name())) {
        checks.engines.retain(|e| says(e.name()));
    }
    if says("every") {
        (checks.every_reading, checks.runs, checks.answer) = (true, 4, 2_500_000);
    }
    if says("whole") {
        checks.shrink = 0;
    }
    let threads = args.iter().find_map(|a| a.strip_prefix("threads=")?.parse().ok()).unwrap_or(1);
    let start = Instant::now();
    let tally = driver::run(first, count, threads, &checks, |tally, failure| {
        if let Some(failure) = failure {
            println!("{failure}\n");
        }
        let programs = tally.get("programs");
        if programs.is_multiple_of(100) {
            let (failures, time) = (tally.get("failures"), start.elapsed().as_secs());
            eprintln!("{programs} programs, {failures} failures, {time} s");
        }
    });
    print!("{tally}");
}
