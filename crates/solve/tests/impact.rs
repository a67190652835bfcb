//! Lazy abstraction with interpolants on small programs: every proof is checked, every error replayed by the interpreter.

mod common;

use common::{BLOCKS, BOTH, ORDERS, counter, locks};
use craig_cfa::Blocks;
use craig_engine::impact::{ForcedCovering, Options};
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

/// Forced covering asks at once whether a label is inductive, where covering waits for the next path to say so.
#[test]
fn forced_covering_saves_unwindings() {
    let body = "int main() { int n = __VERIFIER_nondet_int(), i = 0, s = 0; if (n < 0) return 0; \
        while (i < n) { i++; s += 2; } if (s != 2 * n) reach_error(); }";
    let nodes = |forced_covering| {
        let options = Options { forced_covering, ..Options::default() };
        let (verdict, stats) = run(body, options, Arithmetic::Int);
        assert_eq!(verdict, "SAFE");
        assert_eq!(counter(&stats, "forced_covers") > 0.0, forced_covering == ForcedCovering::On);
        counter(&stats, "splits")
    };
    assert!(nodes(ForcedCovering::On) < nodes(ForcedCovering::Off));
}
