//! Checks many random Remopla programs: `cargo run --release -p craig-fuzz --example remopla -- 1000 1` takes those of the seeds 1 to 1000. More words:
//!
//! - `rules`: programs that are rules of a pushdown system, instead of modules;
//! - `ruled`: modules with rules beside their statements;
//! - `every`: every choice of interpolants with both ways to stop;
//! - `alone`: without the engines that inline;
//! - `show`: only prints the programs, and what the explicit search says.
//!
//! Failures and the tally of all go to stdout, the progress to stderr.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use craig_fuzz::Tally;
use craig_fuzz::remopla::{Checks, check};
use craig_testgen::remopla::{Reading, generate, generate_ruled, generate_rules, search};
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok());
    let (Some(count), Some(first)) = (number(0), number(1)) else {
        println!("usage: remopla COUNT FIRST-SEED [rules|ruled] [every] [alone] [show]");
        return;
    };
    let says = |word: &str| args.iter().skip(2).any(|a| a == word);
    let make = match (says("rules"), says("ruled")) {
        (true, _) => generate_rules,
        (_, true) => generate_ruled,
        _ => generate,
    };
    let checks = Checks { both_stops: says("every"), others: !says("alone"), ..Checks::default() };
    let mut tally = Tally::default();
    let start = Instant::now();
    for seed in first..first + count {
        let program = make(seed);
        if says("show") {
            let found =
                [false, true].map(|wrap| search(&program, Reading { wrap, leave: false }, checks.states));
            println!("{program}// block: {:?}, wrap: {:?}\n", found[0], found[1]);
            continue;
        }
        if let Some(failure) = check(&program, &checks, &mut tally) {
            println!("{failure}\n");
        }
        let programs = tally.get("programs");
        if programs.is_multiple_of(50) {
            let (failures, time) = (tally.get("failures"), start.elapsed().as_secs());
            eprintln!("{programs} programs, {failures} failures, {time} s");
        }
    }
    print!("{tally}");
}
