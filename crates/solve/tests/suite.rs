//! What every engine of the table passes, with its default options: a right verdict, or none because the work was limited.

mod common;

use common::{Case, NOT_MODELLED};
use craig_base::Budget;
use craig_cfa::Blocks;
use craig_engine::{Engine, impact, predicate, slicing};
use craig_report::text;
use craig_solve::Arithmetic;
use craig_verdict::{Reason, Verdict};

/// Work for an engine that need not come to an end: some seconds.
const WORK: u64 = 10_000_000;

/// An engine may run out of work, but says nothing wrong.
#[test]
fn no_engine_is_wrong() {
    for Case { body, expected, bits } in common::all() {
        for engine in Engine::on_terms() {
            for arith in common::BOTH.into_iter().filter(|a| bits || *a == Arithmetic::Int) {
                let answer =
                    common::answer(&body, engine.clone(), arith, &Budget::unlimited().with_work(WORK));
                let limited = matches!(answer.verdict, Verdict::Unknown(Reason::Stopped(_)));
                assert!(limited || text::verdict(&answer) == expected, "{engine:?}: {body}");
            }
        }
    }
}

/// Engines that find invariants decide them all, with every kind of block that suits them.
#[test]
fn engines_with_invariants_decide() {
    let kinds = [Blocks::Large, Blocks::default()].map(Into::into);
    let single = [Blocks::Single.into()];
    let predicate =
        kinds.map(|refinement| Engine::Predicate(predicate::Options { refinement, ..Default::default() }));
    let slicing = kinds.map(|refinement| Engine::Slicing(slicing::Options { refinement }));
    let impact = kinds.into_iter().chain(single);
    let impact =
        impact.map(|refinement| Engine::Impact(impact::Options { refinement, ..Default::default() }));
    for engine in predicate.into_iter().chain(slicing).chain(impact) {
        for Case { body, expected, bits } in common::all() {
            for arith in common::BOTH.into_iter().filter(|a| bits || *a == Arithmetic::Int) {
                assert_eq!(common::run(&body, engine.clone(), arith).0, expected, "{engine:?}: {body}");
            }
        }
    }
}

/// A path that needs an operation which is not modelled is neither an error nor none.
#[test]
fn what_is_not_modelled_is_not_guessed() {
    for engine in Engine::on_terms() {
        let answer = common::answer(NOT_MODELLED, engine, Arithmetic::Int, &Budget::unlimited());
        let Verdict::Unknown(Reason::Unsupported { span, .. }) = &answer.verdict else {
            panic!("{}", text::verdict(&answer));
        };
        assert!(span.end > span.start, "it has a place");
    }
}
