//! Predicate abstraction on small programs: every error is replayed by the interpreter.

mod common;

use common::{BLOCKS, BOTH, ORDERS, counter, locks};
use craig_cfa::Blocks;
use craig_engine::precision::Scope;
use craig_engine::predicate::{Kind, Options};
use craig_engine::{Engine, Stats};
use craig_solve::Arithmetic;

const KINDS: [Kind; 2] = [Kind::Cartesian, Kind::Boolean];
const SCOPES: [Scope; 4] = [Scope::Location, Scope::Live, Scope::Procedure, Scope::Global];

fn run(body: &str, options: Options, arith: Arithmetic) -> (String, Stats) {
    common::run(body, Engine::Predicate(options), arith)
}

/// All options in all combinations. A conjunction may be too little for a block with joins; then that is what is said.
#[test]
fn all_combinations() {
    for (body, expected) in common::SMALL {
        for blocks in BLOCKS {
            for abstraction in KINDS {
                for order in ORDERS {
                    for precision in SCOPES {
                        for arith in BOTH {
                            let refinement = blocks.into();
                            let options = Options { refinement, abstraction, precision, order };
                            let (verdict, _) = run(body, options, arith);
                            let gave_up =
                                abstraction == Kind::Cartesian && verdict.starts_with("UNKNOWN (refinement");
                            assert!(
                                verdict == expected || gave_up,
                                "{verdict}: {options:?}, {arith:?}: {body}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn locks_cost_the_same_with_large_blocks_and_grow_with_single_ones() {
    for blocks in [Blocks::Large, Blocks::default()] {
        for n in [3, 15] {
            let options = Options { refinement: blocks.into(), ..Options::default() };
            let (verdict, stats) = run(&locks(n), options, Arithmetic::Int);
            assert_eq!(verdict, "SAFE");
            assert_eq!(counter(&stats, "refinements"), 0.0);
            assert!(counter(&stats, "art_nodes") <= 4.0);
            assert!(counter(&stats, "solver_calls") <= 20.0);
        }
    }
    let single = |n| {
        let options =
            Options { refinement: Blocks::Single.into(), abstraction: Kind::Cartesian, ..Options::default() };
        let (verdict, stats) = run(&locks(n), options, Arithmetic::Int);
        assert_eq!(verdict, "SAFE");
        counter(&stats, "art_nodes")
    };
    let sizes: Vec<f64> = (2..=5).map(single).collect();
    assert!(sizes.windows(2).all(|w| w[1] > w[0] * 1.6), "{sizes:?}");
}
