//! Lazy abstraction with interpolants on small programs: every proof is checked, every error replayed by the interpreter.

mod common;

use common::{BLOCKS, BOTH, ORDERS, counter, locks};
use craig_cfa::Blocks;
use craig_engine::explain::{Heuristic, Heuristics};
use craig_engine::impact::Options;
use craig_engine::options::ForcedCovering;
use craig_engine::options::RefinementOptions;
use craig_engine::{Engine, Stats};
use craig_solve::Arithmetic;

fn run(body: &str, options: Options, arith: Arithmetic) -> (String, Stats) {
    common::run(body, Engine::Impact(options), arith)
}

#[test]
fn all_combinations() {
    for (body, expected) in common::SMALL {
        for blocks in BLOCKS {
            for order in ORDERS {
                for forced_covering in [ForcedCovering::On, ForcedCovering::Off] {
                    for arith in BOTH {
                        let refinement = blocks.into();
                        let options = Options { refinement, order, forced_covering };
                        let (verdict, _) = run(body, options, arith);
                        assert_eq!(verdict, expected, "{options:?}, {arith:?}: {body}");
                    }
                }
            }
        }
    }
}

/// SLICE, table 1: what single operations unwind without end is nothing for large blocks.
#[test]
fn locks_cost_the_same_with_large_blocks_and_grow_with_single_ones() {
    for blocks in [Blocks::Large, Blocks::default()] {
        for n in [3, 15] {
            let options = Options { refinement: blocks.into(), ..Options::default() };
            let (verdict, stats) = run(&locks(n), options, Arithmetic::Int);
            assert_eq!(verdict, "SAFE");
            assert_eq!(counter(&stats, "refinements"), 0.0);
            assert!(counter(&stats, "art_nodes") <= 4.0);
        }
    }
    let single = |n| {
        let options = Options { refinement: Blocks::Single.into(), ..Options::default() };
        let (verdict, stats) = run(&locks(n), options, Arithmetic::Int);
        assert_eq!(verdict, "SAFE");
        counter(&stats, "art_nodes")
    };
    let sizes: Vec<f64> = (2..=4).map(single).collect();
    assert!(sizes.windows(2).all(|w| w[1] > w[0]), "{sizes:?}");
}

/// The invariant relates two variables.
const EVEN: &str = "int main() { int n = __VERIFIER_nondet_int(), i = 0, s = 0; if (n < 0) return 0; \
    while (i < n) { i++; s += 2; } if (s != 2 * n) reach_error(); }";

/// Forced covering asks at once whether a label is inductive, where covering waits for the next path to say so.
#[test]
fn forced_covering_saves_unwindings() {
    // What is inductive by itself would be found at once.
    let heuristics = Heuristics::ALL.without(Heuristic::Inductive);
    let nodes = |forced_covering| {
        let refinement = RefinementOptions { heuristics, ..RefinementOptions::default() };
        let options = Options { refinement, forced_covering, ..Options::default() };
        let (verdict, stats) = run(EVEN, options, Arithmetic::Int);
        assert_eq!(verdict, "SAFE");
        assert_eq!(counter(&stats, "forced_covers") > 0.0, forced_covering == ForcedCovering::On);
        counter(&stats, "splits")
    };
    assert!(nodes(ForcedCovering::On) < nodes(ForcedCovering::Off));
}

/// A protocol whose steps also count in a second variable.
const PROTOCOL: &str = "int main() { int state = 10, flag = 0; while (__VERIFIER_nondet_int()) { \
    if (state == 10) { state = 20; if (flag == 0) flag = 1; } \
    else if (state == 20) { if (__VERIFIER_nondet_int()) state = 30; else { state = 40; if (flag == 1) flag = 2; } } \
    else if (state == 30) { state = 50; if (flag == 2) flag = 3; } \
    else if (state == 40) { state = 50; if (flag == 3) flag = 4; } \
    else { if (flag == 4) reach_error(); if (__VERIFIER_nondet_int()) state = 50; } } }";

/// What is inductive joins every label, found among explanations or as the values that come together: then a loop is not unwound for want of it.
#[test]
fn what_is_inductive_saves_unwindings() {
    let neither = Heuristics::ALL.without(Heuristic::Inductive).without(Heuristic::Combinations);
    for (body, switch) in [(EVEN, Heuristic::Inductive), (PROTOCOL, Heuristic::Combinations)] {
        let nodes = |heuristics| {
            let refinement = RefinementOptions { heuristics, ..RefinementOptions::default() };
            let options = Options { refinement, forced_covering: ForcedCovering::Off, ..Options::default() };
            let (verdict, stats) = run(body, options, Arithmetic::Int);
            assert_eq!(verdict, "SAFE");
            counter(&stats, "splits")
        };
        let (with, without) = (nodes(neither.with(&[switch])), nodes(neither));
        assert!(with < without, "{switch:?}: {with} nodes with it, {without} without");
    }
}
