//! The interpolation campaign: random unsatisfiable sequences through all layers, every answer checked.
//!
//!     cargo run --release -p craig-smt --example campaign -- [linear|arrays|bv|all] [COUNT] [SEED] [METHOD]
//!
//! Prints per family how many sequences each layer answered (a sequence counts for the last layer that one of its
//! cuts needed), what failed, violations of the four conditions (with their seeds), and times.
#![allow(clippy::print_stdout, reason = "a program for people")]

#[path = "../tests/random/mod.rs"]
mod random;

use craig_base::Budget;
use craig_logic::Terms;
use craig_smt::Smt;
use craig_smt::interpolate::{self, Hints, Method, NoInterpolant, Options, Origin};
use random::Family;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Units of work for one sequence, all layers together: about ten seconds.
const LIMIT: u64 = 70_000_000;

/// Sequences that take longer are named.
const SLOW: Duration = Duration::from_millis(500);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let family = arguments.first().map(String::as_str).unwrap_or("all");
    let count = arguments.get(1).and_then(|c| c.parse().ok()).unwrap_or(2000);
    let seed = arguments.get(2).and_then(|s| s.parse().ok()).unwrap_or(1);
    // One method alone, or all of them.
    let methods: Vec<Method> = match arguments.get(3) {
        Some(name) => Method::ALL.into_iter().filter(|m| m.name() == name).collect(),
        None => Method::ALL.to_vec(),
    };
    for (name, kind) in
        [("linear", Family::Linear), ("arrays", Family::ArraysAndFunctions), ("bv", Family::BitVectors)]
    {
        if family == name || family == "all" {
            run(name, kind, count, seed, &methods);
        }
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn run(name: &str, family: Family, count: usize, first_seed: u64, methods: &[Method]) {
    let mut layers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut origins: BTreeMap<String, usize> = BTreeMap::new();
    let (mut done, mut answered, mut violations, mut unchecked) = (0, 0, 0, 0);
    let (mut time, mut solving, mut work) = (Duration::ZERO, Duration::ZERO, 0);
    let mut slowest = Duration::ZERO;
    let mut seed = first_seed;
    while done < count {
        seed += 1;
        let terms = Rc::new(Terms::new());
        let smt = Smt::new(Rc::clone(&terms), Budget::unlimited()).expect("a solver");
        let Some(parts) = smt.limited(LIMIT, || random::sequence(&smt, family, seed)) else { continue };
        done += 1;
        let options = Options { verify: false, methods: methods.to_vec(), ..Options::default() };
        let before = smt.stats();
        let start = Instant::now();
        let found = smt.limited(LIMIT, || interpolate::sequence(&smt, &parts, &Hints::default(), &options));
        time += start.elapsed();
        solving += smt.stats().time - before.time;
        work += smt.stats().work - before.work;
        slowest = slowest.max(start.elapsed());
        if start.elapsed() > SLOW {
            println!("  slow: {name} seed {seed}: {:.2} s", start.elapsed().as_secs_f64());
        }
        match found {
            Ok(found) => {
                answered += 1;
                let layer = found.method().map_or("core", Method::name);
                *layers.entry(layer).or_default() += 1;
                for origin in &found.origins {
                    let key = match origin {
                        Origin::Computed(method) => method.name().to_string(),
                        other => format!("{other:?}").to_lowercase(),
                    };
                    *origins.entry(key).or_default() += 1;
                }
                match smt.limited(6 * LIMIT, || interpolate::check_sequence(&smt, &parts, &found.formulas)) {
                    Ok(()) => {}
                    Err(interpolate::check::Violation::Unknown(..)) => {
                        unchecked += 1;
                        println!("  not checked: {name} seed {seed}");
                    }
                    Err(violation) => {
                        violations += 1;
                        println!("  VIOLATION: {name} seed {seed}: {violation}");
                    }
                }
            }
            Err(NoInterpolant::Undecided(reason)) => println!("  {name} seed {seed}: {reason}"),
            Err(failure) => println!("  {name} seed {seed}: {failure}"),
        }
    }
    println!(
        "{name}: {done} sequences (seeds from {first_seed}), {answered} answered ({:.1} %)",
        percent(answered, done)
    );
    for (layer, n) in &layers {
        println!("  {layer:10} {n:6} sequences ({:.1} %)", percent(*n, done));
    }
    let cuts: Vec<String> = origins.iter().map(|(origin, n)| format!("{origin} {n}")).collect();
    println!("  cuts by origin: {}", cuts.join(", "));
    println!("  violations: {violations}, not checked: {unchecked}");
    println!(
        "  total {:.2} s, mean {:.2} ms, slowest {:.2} s",
        time.as_secs_f64(),
        1000.0 * time.as_secs_f64() / done.max(1) as f64,
        slowest.as_secs_f64()
    );
    println!(
        "  {:.1} million units of work, {:.2} million a second in the solver",
        work as f64 / 1e6,
        work as f64 / 1e6 / solving.as_secs_f64()
    );
}
