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

/// With another value of a constant.
fn with(text: &str, name: &str, value: u32) -> String {
    let start = format!("define {name} ");
    let line = text.lines().find(|line| line.starts_with(&start)).expect("a constant");
    text.replace(line, &format!("{start}{value}"))
}

fn of_bits(text: &str, bits: u32) -> String {
    with(text, "BITS", bits)
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

/// Example 6.1: the width of what is sorted makes no difference.
#[test]
fn bubble_sort() {
    let text = program("bubble_sort.rem");
    for bits in [3, 5] {
        let text = of_bits(&text, bits);
        let (cycles, predicates) = counts(&text, Interpolants::Strongest);
        assert!(cycles == 10.0 && predicates == 9.0, "{cycles} {predicates}");
        let (cycles, predicates) = counts(&text, Interpolants::SkipConciliated);
        assert!(cycles == 7.0 && predicates == 13.0, "{cycles} {predicates}");
    }
    let text = of_bits(&text, 3);
    let (both, _) = counts(&text, Interpolants::Both);
    let (weakest, _) = counts(&text, Interpolants::Weakest);
    assert!(both <= 8.0 && weakest > 10.0, "{both} {weakest}");
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
    for bits in 3..=8 {
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

/// Example 6.5 with larger arrays, of which nothing is needed.
#[test]
fn conciliated_with_any_array() {
    for name in ["conciliated.rem", "conciliated_without_z.rem"] {
        let text = program(name);
        let of = |(cells, index)| {
            let text = with(&with(&text, "CELLS", cells), "INDEX", index);
            counts(&text, Interpolants::Conciliated)
        };
        let small = of((7, 3));
        assert_eq!([(15, 4), (31, 5)].map(of), [small, small], "{name}");
    }
}

/// Example 6.8: what is sorted does not matter.
#[test]
fn quicksort() {
    for interpolants in [Interpolants::Conciliated, Interpolants::Skip, Interpolants::SkipConciliated] {
        let (cycles, predicates) = counts(&program("quicksort.rem"), interpolants);
        assert!(cycles == 1.0 && predicates <= 3.0, "{interpolants:?}: {cycles} {predicates}");
    }
}

/// Rules for labels in modules, with variables on both sides of a call.
#[test]
fn rules_in_modules() {
    let text = "bool held;
                module void enter(int level(2)) { bool mine; top: skip (level == 0); return;
                  back: if :: held != mine -> error: skip; :: else -> return; fi }
                module void main() { start: skip (false); end: skip; }
                q <start> --> q <enter end>
                q <top> --> q <enter back> (level > 0 && level' == level - 1 && mine'' == held && held' == held)";
    assert_eq!(run(text, Overflow::Block, Interpolants::Weakest).0, "SAFE");
    // What is under a call is not what is called.
    for (what, instead) in [("held' == held", "held' == !held"), ("mine'' == held", "mine' == held")] {
        let changed = text.replace(what, instead);
        assert_ne!(text, changed);
        assert_eq!(run(&changed, Overflow::Block, Interpolants::Weakest).0, "UNSAFE", "{instead}");
    }
}

/// 6.6. The strongest interpolants, which the others do without, follow the values of the numbers that are tried.
#[test]
fn primality() {
    let text = program("primality.rem");
    for interpolants in Interpolants::all().iter().copied().filter(|i| *i != Interpolants::Strongest) {
        let (cycles, predicates) = counts(&text, interpolants);
        let both = interpolants == Interpolants::Both;
        assert!(cycles <= 3.0 && predicates <= if both { 3.0 } else { 2.0 }, "{cycles} {predicates}");
    }
    // What is multiplied does not matter: more bits are hardly more work.
    let (verdict, stats) = run(&of_bits(&text, 8), Overflow::Block, Interpolants::Weakest);
    assert_eq!(verdict, "SAFE");
    assert!(counter(&stats, "bdd_nodes") < 10_000.0);
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
