//! Checks many random programs: `cargo run --release -p craig-fuzz --example fuzz -- 2000 1` takes those of the seeds 1 to 2000.

#![allow(clippy::print_stdout)]

use craig_fuzz::{Checks, driver};

fn main() {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let (Some(Ok(count)), Some(Ok(first))) = (args.next(), args.next()) else {
        println!("usage: fuzz COUNT FIRST-SEED");
        return;
    };
    let tally = driver::run(first, count, &Checks::default(), |failure| println!("{failure}\n"));
    print!("{tally}");
}
