//! Checks many random programs: `cargo run --release -p craig-fuzz --example fuzz -- 2000 1` takes those of the seeds 1 to 2000,
//! `-- 200 1 large` larger ones.

#![allow(clippy::print_stdout)]

use craig_fuzz::{Checks, driver};
use craig_testgen::Size;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok());
    let (Some(count), Some(first)) = (number(0), number(1)) else {
        println!("usage: fuzz COUNT FIRST-SEED [large]");
        return;
    };
    let mut checks = Checks::default();
    if args.get(2).is_some_and(|a| a == "large") {
        checks.size = Size { globals: 6, functions: 3, statements: 6, depth: 3, rounds: 4 };
        checks.answer = 10_000_000;
    }
    let tally = driver::run(first, count, &checks, |failure| println!("{failure}\n"));
    print!("{tally}");
}
