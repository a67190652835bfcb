//! Checks many random programs: `cargo run --release -p craig-fuzz --example fuzz -- 2000 1` takes those of the seeds 1 to 2000. More words:
//!
//! - `large`: larger programs;
//! - `engines`: only what engines answer, no paths;
//! - `bmc` and other names of engines: only these;
//! - `whole`: what fails is shown as it is, not made small.

#![allow(clippy::print_stdout)]

use craig_fuzz::{Checks, driver};
use craig_testgen::Size;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok());
    let (Some(count), Some(first)) = (number(0), number(1)) else {
        println!("usage: fuzz COUNT FIRST-SEED [large] [engines] [ENGINE..] [whole]");
        return;
    };
    let says = |word: &str| args.iter().skip(2).any(|a| a == word);
    let mut checks = Checks::default();
    if says("large") {
        checks.size = Size { globals: 6, functions: 3, statements: 6, depth: 3, rounds: 4 };
        checks.answer = 10_000_000;
    }
    if says("engines") {
        checks.runs = 0;
    }
    if checks.engines.iter().any(|e| says(e.name())) {
        checks.engines.retain(|e| says(e.name()));
    }
    if says("whole") {
        checks.shrink = 0;
    }
    let tally = driver::run(first, count, &checks, |failure| println!("{failure}\n"));
    print!("{tally}");
}
