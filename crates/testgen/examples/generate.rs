//! Prints the program of a seed: `cargo run -p craig-testgen --example generate -- 7`.

#![allow(clippy::print_stdout)]

use craig_testgen::{Size, generate};

fn main() {
    let seed = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(1);
    print!("{}", generate(seed, &Size::default()));
}
