//! Checks many random recursive programs: `cargo run --release -p craig-fuzz --example recursive -- 1000 1` takes those of the seeds 1 to 1000. More words:
//!
//! - `bmc` and other names of engines, and `auto`: only these;
//! - `work=N`: units of work for an answer;
//! - `show`: only prints the programs.
//!
//! Failures and the tally of all go to stdout, the progress to stderr.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use craig_base::stack;
use craig_fuzz::Tally;
use craig_fuzz::recursive::{Checks, check};
use craig_testgen::recursive::generate;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok());
    let (Some(count), Some(first)) = (number(0), number(1)) else {
        println!("usage: recursive COUNT FIRST-SEED [ENGINE..] [work=N] [show]");
        return;
    };
    let says = |word: &str| args.iter().skip(2).any(|a| a == word);
    if says("show") {
        (first..first + count).for_each(|seed| println!("// {seed}\n{}", generate(seed)));
        return;
    }
    let mut checks = Checks::default();
    if checks.engines.iter().any(|name| says(name)) {
        checks.engines.retain(|name| says(name));
    }
    if let Some(work) = args.iter().find_map(|a| a.strip_prefix("work=")?.parse().ok()) {
        (checks.answer, checks.diagrams, checks.flat) = (work, 2 * work, work / 2);
    }
    let start = Instant::now();
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let work = || {
            for seed in first..first + count {
                if let Some(failure) = check(&generate(seed), seed, &checks, &mut tally) {
                    println!("{failure}\n");
                }
                let programs = tally.get("programs");
                if programs.is_multiple_of(50) {
                    let (failures, time) = (tally.get("failures"), start.elapsed().as_secs());
                    eprintln!("{programs} programs, {failures} failures, {time} s");
                }
            }
        };
        stack::spawn(scope, "fuzz", work).expect("a thread");
    });
    print!("{tally}");
}
