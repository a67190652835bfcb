//! The counts of PDS, chapter 6, on the programs of `benchmarks/pushdown`. Verdicts come from the checker of proofs and the interpreter.

mod common;

use common::counter;
use craig_base::Budget;
use craig_engine::options::Abstraction;
use craig_engine::pushdown::{Direction, Interpolants, Options, Stopping};
use craig_engine::{Engine, Selection, Silent, Stats};
use craig_frontend::{Overflow, Reading, remopla};
use craig_report::text;
use craig_solve::{Plan, solve};
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn program(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/pushdown").join(name);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// With so many bits.
fn of_bits(text: &str, bits: u32) -> String {
    let line = text.lines().find(|line| line.starts_with("define BITS ")).expect("a width");
    text.replace(line, &format!("define BITS {bits}"))
}

fn run(text: &str, overflow: Overflow, interpolants: Interpolants) -> (String, Stats) {
    run_with(text, overflow, Options { interpolants, ..Options::default() })
}

fn run_with(text: &str, overflow: Overflow, options: Options) -> (String, Stats) {
    let budget = Budget::unlimited();
    let reading = Reading { overflow, ..Reading::default() };
    let loaded = remopla::load_text("test.rem", text, &reading, &budget).expect("a program");
    let engine = Engine::Pushdown(options);
    let plan =
        Plan { selection: Selection { only: Some(engine), ..Selection::default() }, ..Plan::default() };
    let answer = solve(Arc::new(loaded.program), reading, &plan, &budget, &mut Silent);
    let stats = answer.decisive().map(|a| a.stats.clone()).unwrap_or_default();
    (text::verdict(&answer), stats)
}

/// Cycles, and the most predicates at a point, of a program that is safe.
fn counts(text: &str, interpolants: Interpolants) -> (f64, f64) {
    let (verdict, stats) = run(text, Overflow::Block, interpolants);
    assert_eq!(verdict, "SAFE", "{interpolants:?}");
    (counter(&stats, "cycles"), counter(&stats, "predicates_max"))
}

/// Example 6.2, with 4 bits.
#[test]
fn loop_invariant() {
    let text = of_bits(&program("loop_invariant.rem"), 4);
    let (cycles, predicates) = counts(&text, Interpolants::Weakest);
    assert!(cycles == 2.0 && predicates <= 1.0, "{cycles} {predicates}");
    let (cycles, predicates) = counts(&text, Interpolants::Both);
    assert!(cycles == 2.0 && predicates <= 3.0, "{cycles} {predicates}");
    let (cycles, predicates) = counts(&text, Interpolants::Strongest);
    assert!(cycles <= 32.0 && predicates == 16.0, "{cycles} {predicates}");
    for interpolants in [Interpolants::Weakest, Interpolants::Strongest, Interpolants::SkipConciliated] {
        assert_eq!(run(&text, Overflow::Wrap, interpolants).0, "UNSAFE", "{interpolants:?}");
    }
}

/// With weakest interpolants the width does not matter, and what comes before is not looked at.
#[test]
fn loop_invariant_of_any_width() {
    let text = program("loop_invariant.rem");
    for bits in [3, 6] {
        let (cycles, predicates) = counts(&of_bits(&text, bits), Interpolants::Weakest);
        assert!(cycles == 2.0 && predicates <= 1.0, "{bits}: {cycles} {predicates}");
    }
    let (cycles, predicates) = counts(&program("loop_invariant_behind.rem"), Interpolants::Weakest);
    assert!(cycles == 2.0 && predicates <= 1.0, "{cycles} {predicates}");
}

/// Example 6.5.
#[test]
fn conciliated() {
    let text = program("conciliated.rem");
    let (cycles, predicates) = counts(&text, Interpolants::Conciliated);
    assert!(cycles <= 3.0 && predicates <= 6.0, "{cycles} {predicates}");
    let (more_cycles, more_predicates) = counts(&text, Interpolants::Weakest);
    assert!(more_cycles > cycles && more_predicates > predicates, "{more_cycles} {more_predicates}");
    for interpolants in [Interpolants::Conciliated, Interpolants::Weakest] {
        let (cycles, predicates) = counts(&program("conciliated_without_z.rem"), interpolants);
        assert!(cycles <= 3.0 && predicates <= 4.0, "{interpolants:?} {cycles} {predicates}");
        let (cycles, _) = counts(&program("conciliated_endless.rem"), interpolants);
        assert_eq!(cycles, 0.0, "{interpolants:?}");
    }
}

/// 6.6.
#[test]
fn primality() {
    let (cycles, predicates) = counts(&program("primality.rem"), Interpolants::Weakest);
    assert!(cycles <= 3.0 && predicates <= 2.0, "{cycles} {predicates}");
}

/// Without abstraction, in both directions: each verdict with a proof or an execution that holds.
#[test]
fn both_directions() {
    let loop_invariant = of_bits(&program("loop_invariant.rem"), 4);
    let behind = of_bits(&program("loop_invariant_behind.rem"), 4);
    let bubble_sort = program("bubble_sort.rem");
    let conciliated = program("conciliated_without_z.rem");
    let endless = program("conciliated_endless.rem");
    let primality = program("primality.rem");
    let (post, pre) = (Direction::Post, Direction::Pre);
    for (text, overflow, directions, expected) in [
        (&loop_invariant, Overflow::Block, &[post, pre][..], "SAFE"),
        (&loop_invariant, Overflow::Wrap, &[post, pre], "UNSAFE"),
        // Backwards what comes before does not matter.
        (&behind, Overflow::Block, &[pre], "SAFE"),
        (&bubble_sort, Overflow::Block, &[pre], "SAFE"),
        (&conciliated, Overflow::Wrap, &[post, pre], "SAFE"),
        (&endless, Overflow::Block, &[post, pre], "SAFE"),
        (&primality, Overflow::Block, &[post, pre], "SAFE"),
    ] {
        for search in directions {
            for stop in [Stopping::Complete, Stopping::First] {
                let (abstraction, search) = (Abstraction::Off, *search);
                let options = Options { abstraction, search, stop, ..Options::default() };
                assert_eq!(run_with(text, overflow, options).0, expected, "{search:?} {stop:?}\n{text}");
            }
        }
    }
}
