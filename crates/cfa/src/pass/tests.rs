//! Passes on random programs: every one keeps whether the error is reached, whatever the choices.

use super::*;
use crate::program::Program;
use crate::testing::random::random_program;
use crate::testing::walk::{End, Walk};
use crate::verify::debug_verify;
use craig_base::Budget;

const PROGRAMS: u64 = 1000;
const STEPS: usize = 300;

/// A run of the changed program ends as one of the original does: in the error, or not.
fn same_ends(pass: impl Fn(&Program) -> Program) {
    let (mut errors, mut others) = (0, 0);
    for seed in 0..PROGRAMS {
        let program = random_program(seed);
        debug_verify(&program, "generation");
        let result = pass(&program);
        debug_verify(&result, "the pass");
        for values in 0..4 {
            let before = Walk::new(&program, values).run(STEPS);
            let after = Walk::new(&result, values).run(4 * STEPS);
            match (before, after) {
                // A run that ends quietly may be cut short, and one that goes on forever may be cut off.
                (End::Error, End::Error) => errors += 1,
                (End::Error, _) | (End::Quiet, End::Error) => {
                    panic!("seed {seed}, values {values}: {before:?}, then {after:?}\n{program}\n{result}")
                }
                _ => others += 1,
            }
        }
    }
    assert!(errors > PROGRAMS / 4 && others > PROGRAMS / 4, "{errors} errors, {others} others");
}

#[test]
fn pruning_keeps_the_ends() {
    same_ends(|p| prune(p, &Budget::unlimited()).expect("no limit").program);
}

#[test]
fn inlining_keeps_the_ends() {
    same_ends(|p| {
        let once = inline(p, None, 1_000_000, &Budget::unlimited()).expect("small").program;
        let twice = inline(&once, None, 1_000_000, &Budget::unlimited()).expect("small").program;
        assert_eq!(once.to_string(), twice.to_string());
        let path = |p: &Program, l: &crate::Loc| (l.origin, p.calls.path(l.calls));
        let strings = |p: &Program| p.locs.iter().map(|l| path(p, l)).collect::<Vec<_>>();
        assert_eq!(strings(&once), strings(&twice));
        once
    });
}

#[test]
fn folding_keeps_the_ends() {
    same_ends(|p| fold(p, true, &Budget::unlimited()).expect("no limit").program);
}

#[test]
fn slicing_keeps_the_ends() {
    let sliced = |p: &Program| cone(p, &Budget::unlimited()).expect("no limit").program;
    same_ends(sliced);
    same_ends(|p| sliced(&inline(p, None, 1_000_000, &Budget::unlimited()).expect("small").program));
}

#[test]
fn preparing_keeps_the_ends() {
    same_ends(|p| prepare(p, &PrepareOptions::default(), &Budget::unlimited()).expect("no limit").program);
}

#[test]
fn overflow_is_the_error() {
    let (mut errors, mut others) = (0, 0);
    for seed in 0..PROGRAMS {
        let program = random_program(seed);
        let result = overflow(&program, &Budget::unlimited()).expect("no limit");
        debug_verify(&result, "overflow");
        for values in 0..4 {
            let mut walk = Walk::new(&program, values);
            let before = walk.run(STEPS);
            let after = Walk::new(&result, values).run(8 * STEPS);
            match (before, walk.overflow) {
                (End::Error, _) | (_, true) => {
                    errors += 1;
                    assert_eq!(after, End::Error, "seed {seed}, values {values}\n{program}\n{result}");
                }
                (End::Quiet, false) => {
                    others += 1;
                    assert_eq!(after, End::Quiet, "seed {seed}, values {values}\n{program}\n{result}");
                }
                (End::Cut, false) => {}
            }
        }
    }
    assert!(errors > PROGRAMS / 4 && others > PROGRAMS / 4, "{errors} errors, {others} others");
}

/// Sizes and times on long programs: `cargo test --release -p craig-cfa figures -- --ignored --nocapture`.
#[test]
#[ignore = "prints a table"]
fn figures() {
    use crate::blocks::{BlockGraph, Blocks};
    use crate::print::Printer;
    use crate::testing::chain_of_ifs;
    use std::time::Instant;
    let budget = Budget::unlimited();
    eprintln!("     ifs  checks      ops   blocks  text bytes   verify  prepare   blocks     text");
    for checks in [false, true] {
        for n in [1_000, 10_000, 100_000, 300_000] {
            let program = chain_of_ifs(n, checks);
            let start = Instant::now();
            crate::verify::verify(&program).expect("well formed");
            let verified = start.elapsed();
            let options =
                PrepareOptions { prune: false, inline_limit: Some(usize::MAX), ..Default::default() };
            let start = Instant::now();
            let result = prepare(&program, &options, &budget).expect("no limit").program;
            let prepared = start.elapsed();
            let start = Instant::now();
            let graph = BlockGraph::new(&result, Blocks::Large, &budget).expect("no limit");
            let made = start.elapsed();
            let start = Instant::now();
            let text = Printer::new(&result).blocks(&graph).len();
            let printed = start.elapsed();
            let (ops, blocks) = (program.edges.len(), graph.blocks().len());
            eprintln!(
                "{n:8}  {checks:6} {ops:8} {blocks:8} {text:11} {verified:8.1?} {prepared:8.1?} {made:8.1?} {printed:8.1?}"
            );
        }
    }
}
