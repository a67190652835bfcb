//! The engine `pushdown` on terms: recursive programs over integers, each with a twin that reaches the error. Proofs go through the checker, executions through the interpreter.

mod common;

use common::{answer, counter};
use craig_base::Budget;
use craig_engine::Engine;
use craig_engine::options::Interpolation;
use craig_engine::pushdown::{Domain, Options};
use craig_report::text;
use craig_solve::{Answer, Arithmetic};
use craig_verdict::Verdict;
use craig_verdict::certificate::Proof;

/// Work for a program: some seconds.
const WORK: u64 = 30_000_000;

fn ask(body: &str, interpolation: Interpolation) -> Answer {
    let engine = Engine::Pushdown(Options { domain: Domain::Smt, interpolation, ..Options::default() });
    answer(body, engine, Arithmetic::Int, &Budget::unlimited().with_work(WORK))
}

/// The contracts of a safe program that say something; its twin is not safe.
fn contracts(body: &str, piece: &str, other: &str) -> Vec<String> {
    let twin = body.replacen(piece, other, 1);
    assert_ne!(twin, body);
    let found = ask(&twin, Interpolation::Layers);
    assert_eq!(text::verdict(&found), "UNSAFE", "{twin}");
    match ask(body, Interpolation::Layers).verdict {
        Verdict::Safe(certificate, _) => match certificate.proof {
            Proof::Procedures(proof) => {
                let formulas = proof.summaries.into_iter().map(|summary| summary.formula);
                formulas.filter(|formula| formula != "true" && formula != "false").collect()
            }
            other => panic!("{other:?}"),
        },
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn results_are_related_to_arguments() {
    let body = "int twice(int n) { if (n <= 0) return 0; return twice(n - 1) + 2; } \
        int main() { int n = __VERIFIER_nondet_int(); if (n >= 0 && twice(n) < n) reach_error(); }";
    let contracts = contracts(body, "+ 2", "- 1");
    assert!(contracts.len() == 1 && contracts[0].contains("old n"), "{contracts:?}");
}

#[test]
fn a_global_is_as_it_was() {
    let body = "int open; void visit(int n) { open++; if (n > 0) { visit(n - 1); visit(n - 2); } open--; } \
        int main() { visit(__VERIFIER_nondet_int()); if (open != 0) reach_error(); }";
    contracts(body, "open--", "if (n != 1) open--");
}

#[test]
fn errors_inside_of_calls_that_do_not_return() {
    let body = "void down(int n, int bound) { if (n > bound) reach_error(); if (n > 0) down(n - 1, bound); } \
        int main() { int n = __VERIFIER_nondet_int(); if (n < 100) down(n, 100); }";
    contracts(body, "n < 100", "n < 102");
}

#[test]
fn loops_and_calls() {
    let body = "int add(int a, int b) { while (b > 0) { a++; b--; } return a; } \
        int main() { int x = __VERIFIER_nondet_int(), i, s = x; \
        for (i = 0; i < 3; i++) s = add(s, 1); if (s < x) reach_error(); }";
    contracts(body, "s < x", "s > x");
}

#[test]
fn procedures_that_call_each_other() {
    let body = "int odd(int n); int even(int n) { if (n == 0) return 1; return odd(n - 1); } \
        int odd(int n) { if (n == 0) return 0; return even(n - 1); } \
        int main() { int n = __VERIFIER_nondet_int(), r; if (n < 0) return 0; r = even(n); if (r < 0 || r > 1) reach_error(); }";
    let contracts = contracts(body, "return 1", "return 2");
    assert_eq!(contracts.len(), 2);
}

/// What a tree of calls is explained by may be chosen.
#[test]
fn interpolants_of_many_kinds() {
    let body = "int count(int n) { if (n <= 0) return 0; return count(n - 1) + 1; } \
        int main() { if (count(__VERIFIER_nondet_int()) < 0) reach_error(); }";
    for kind in [Interpolation::Layers, Interpolation::Proof, Interpolation::Farkas, Interpolation::Spacer] {
        let found = ask(body, kind);
        assert_eq!(text::verdict(&found), "SAFE", "{kind:?}");
        let stats = &found.attempts[0].stats;
        assert!(counter(stats, "cycles") >= 1.0 && counter(stats, "predicates_total") >= 1.0, "{kind:?}");
    }
}

/// A callee that never returns, and a procedure that is never called.
#[test]
fn what_no_run_comes_to() {
    let body = "int down(int n) { return down(n - 1); } int idle(int n) { return idle(n); } \
        int main() { down(__VERIFIER_nondet_int()); reach_error(); }";
    contracts(body, "{ return down", "{ return n < 0 ? 0 : down");
}

/// What callees change through pointers.
#[test]
fn pointers() {
    let body = "void step(int *p, int n) { if (n > 0) { *p = n; step(p, n - 1); } } \
        int main() { int x = 0; step(&x, __VERIFIER_nondet_int()); if (x < 0) reach_error(); }";
    contracts(body, "*p = n", "*p = -n");
}
