//! Slicing abstraction on small programs: every proof is checked, every error replayed by the interpreter.

mod common;

use common::{BLOCKS, SMALL, counter, locks};
use craig_base::Budget;
use craig_cfa::pass::prepare::{self, PrepareOptions, prepare};
use craig_encode::Arith;
use craig_engine::blocks::Blocks;
use craig_engine::refine::Method;
use craig_engine::run::{RunOptions, Silent, Stats};
use craig_engine::slicing::{self, Options};
use craig_verdict::certificate::Proof;
use craig_verdict::{Verdict, judge};

fn run(body: &str, options: Options, arith: Arith) -> (String, Stats) {
    common::run(body, options.blocks, arith, |prepared, run, budget, stats| {
        slicing::run(prepared, run, &options, budget, &mut Silent, stats)
    })
}

common::suite!(Blocks::Large, Blocks::default());

#[test]
fn all_kinds_of_blocks() {
    for (body, expected) in SMALL {
        for blocks in BLOCKS {
            for arith in [Arith::Int, Arith::Bv] {
                let options = Options { blocks, ..Options::default() };
                assert_eq!(run(body, options, arith).0, expected, "{options:?}, {arith:?}: {body}");
            }
        }
    }
}

/// Each method of interpolation alone proves that the sum stays.
#[test]
fn methods_of_interpolation() {
    let body = "int main() { int x = __VERIFIER_nondet_int(), n = x, y = 0; \
        while (x != 0) { x--; y++; } if (y != n) reach_error(); }";
    for method in [Method::Farkas, Method::Spacer] {
        let options = Options { interpolation: Some(method), ..Options::default() };
        assert_eq!(run(body, options, Arith::Int).0, "SAFE", "{method:?}");
    }
}

#[test]
fn locks_need_no_split() {
    for n in [3, 15] {
        let (verdict, stats) = run(&locks(n), Options::default(), Arith::Int);
        assert_eq!(verdict, "SAFE");
        assert_eq!(counter(&stats, "splits"), 0.0);
        assert!(counter(&stats, "solver_calls") <= 20.0);
    }
}

/// The example of document 000 (Fig. 1): one invariant explains all ways through the loop at once.
#[test]
fn the_sum_is_kept() {
    let text = "procedure main() { var x, y, z, n: int; assume n == x && y == 0 && z == 0;\n\
        while (x != 0) {\n if (*) { x := x + 1; y := y - 1; }\n if (*) { y := y + 1; z := z - 1; }\n\
        if (*) { x := x - 1; z := z + 1; } }\n assert n == y + z; }";
    let load = craig_frontend::Reading::default();
    let program = craig_frontend::boogie::load_text("sum.bpl", text, &load, &Budget::unlimited())
        .expect("a program")
        .program;
    let options = PrepareOptions { blocks: prepare::Blocks::Single, ..PrepareOptions::default() };
    let prepared = prepare(&program, &options);
    let (budget, mut stats) = (Budget::unlimited(), Stats::default());
    let read = RunOptions { arith: Arith::Int, signed_wrap: false };
    let outcome = slicing::run(&prepared, &read, &Options::default(), &budget, &mut Silent, &mut stats);
    let Verdict::Safe(certificate, _) = judge(&program, outcome, false, &budget) else {
        panic!("not proved");
    };
    assert!(counter(&stats, "refinements") <= 2.0);
    let Proof::Invariants(proof) = certificate.proof else { panic!("no invariants") };
    let formula = &proof.invariants[0].formula;
    assert!(["n", "x", "y", "z"].iter().all(|v| formula.contains(v)) && formula.contains("(= "), "{formula}");
}
