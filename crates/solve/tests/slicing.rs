//! Slicing abstraction on small programs: every proof is checked, every error replayed by the interpreter.

mod common;

use common::{BLOCKS, BOTH, SMALL, counter, locks};
use craig_base::Budget;
use craig_engine::options::{Interpolation, RefinementOptions};
use craig_engine::slicing::Options;
use craig_engine::{Engine, Selection, Silent, Stats};
use craig_report::invariant;
use craig_solve::{Arithmetic, Plan, Reading, solve};
use craig_verdict::Verdict;
use craig_verdict::certificate::Proof;
use std::sync::Arc;

fn run(body: &str, options: Options, arith: Arithmetic) -> (String, Stats) {
    common::run(body, Engine::Slicing(options), arith)
}

#[test]
fn all_kinds_of_blocks() {
    for (body, expected) in SMALL {
        for blocks in BLOCKS {
            for arith in BOTH {
                let options = Options { refinement: blocks.into() };
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
    for interpolation in [Interpolation::Farkas, Interpolation::Spacer] {
        let options = Options { refinement: RefinementOptions { interpolation, ..Default::default() } };
        assert_eq!(run(body, options, Arithmetic::Int).0, "SAFE", "{interpolation:?}");
    }
}

#[test]
fn locks_need_no_split() {
    for n in [3, 15] {
        let (verdict, stats) = run(&locks(n), Options::default(), Arithmetic::Int);
        assert_eq!(verdict, "SAFE");
        assert_eq!(counter(&stats, "splits"), 0.0);
        assert!(counter(&stats, "solver_calls") <= 20.0);
    }
}

/// The example of SLICE (Fig. 1): one invariant explains all ways through the loop at once.
#[test]
fn the_sum_is_kept() {
    let text = "procedure main() { var x, y, z, n: int; assume n == x && y == 0 && z == 0;\n\
        while (x != 0) {\n if (*) { x := x + 1; y := y - 1; }\n if (*) { y := y + 1; z := z - 1; }\n\
        if (*) { x := x - 1; z := z + 1; } }\n assert n == y + z; }";
    let (reading, budget) = (Reading::default(), Budget::unlimited());
    let loaded = craig_frontend::boogie::load_text("sum.bpl", text, &reading, &budget).expect("a program");
    let only = Some(Engine::Slicing(Options::default()));
    let plan = Plan { selection: Selection { only, ..Selection::default() }, ..Plan::default() };
    let answer = solve(Arc::new(loaded.program), reading, &plan, &budget, &mut Silent);
    let Verdict::Safe(certificate, _) = &answer.verdict else { panic!("not proved") };
    assert!(counter(&answer.decisive().expect("an attempt").stats, "refinements") <= 2.0);
    let Proof::Invariants(proof) = &certificate.proof else { panic!("no invariants") };
    let formula = &invariant::lines(proof)[0].formula;
    assert!(["n", "x", "y", "z"].iter().all(|v| formula.contains(v)) && formula.contains("=="), "{formula}");
}
