//! Predicate abstraction on small programs: every error is replayed by the interpreter.

use craig_base::Budget;
use craig_cfa::pass::prepare::{self, PrepareOptions, prepare};
use craig_encode::Arith;
use craig_engine::arg::SearchOrder;
use craig_engine::blocks::{BlockEnd, Blocks};
use craig_engine::precision::Scope;
use craig_engine::predicate::{self, Kind, Options};
use craig_engine::run::{RunOptions, Silent, Stats};
use craig_frontend::c::load_text;
use craig_verdict::{Verdict, judge};
use std::fmt::Write;

const HEAD: &str = "int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void); void reach_error(void);\
    void *malloc(unsigned long);\n";

const BLOCKS: [Blocks; 5] = [
    Blocks::Single,
    Blocks::Large,
    Blocks::Adjustable(BlockEnd::LoopHeads),
    Blocks::Adjustable(BlockEnd::Calls),
    Blocks::Adjustable(BlockEnd::Operations(3)),
];
const KINDS: [Kind; 2] = [Kind::Cartesian, Kind::Boolean];
const ORDERS: [SearchOrder; 3] = [SearchOrder::Bfs, SearchOrder::Dfs, SearchOrder::Topological];
const SCOPES: [Scope; 3] = [Scope::Location, Scope::Procedure, Scope::Global];

fn run(body: &str, options: Options, arith: Arith) -> (String, Stats) {
    let load = craig_frontend::Options::default();
    let program = load_text("test.c", &format!("{HEAD}{body}"), &load).expect("a program");
    let blocks =
        if options.blocks == Blocks::Large { prepare::Blocks::Large } else { prepare::Blocks::Single };
    let prepared = prepare(&program, &PrepareOptions { blocks, ..PrepareOptions::default() });
    let mut stats = Stats::default();
    let budget = Budget::unlimited();
    let run = RunOptions { arith, signed_wrap: false };
    let outcome = predicate::run(&prepared, &run, &options, &budget, &mut Silent, &mut stats);
    let verdict = match judge(&program, outcome, false, &budget) {
        Verdict::Unknown(reason) => format!("UNKNOWN ({reason})"),
        decided => decided.name().into(),
    };
    (verdict, stats)
}

/// Boolean abstraction with large and adjustable blocks, in integers.
fn check(body: &str, expected: &str) {
    for blocks in [Blocks::Large, Blocks::default()] {
        let options = Options { blocks, ..Options::default() };
        assert_eq!(run(body, options, Arith::Int).0, expected, "{options:?}: {body}");
    }
}

/// In bit-vectors too.
fn check_both(body: &str, expected: &str) {
    check(body, expected);
    assert_eq!(run(body, Options::default(), Arith::Bv).0, expected, "bit-vectors: {body}");
}

fn counter(stats: &Stats, name: &str) -> f64 {
    stats.counters.iter().find(|(n, _)| *n == name).expect("a counter").1
}

#[test]
fn loops() {
    check(
        "int main() { int n = __VERIFIER_nondet_int(), i = 0, s = 0; if (n < 0) return 0; \
         while (i < n) { i++; s += 2; } if (s != 2 * n) reach_error(); }",
        "SAFE",
    );
    check_both("int main() { int i = 0; while (i < 1000) i++; if (i != 1000) reach_error(); }", "SAFE");
    check_both(
        "int main() { int n = __VERIFIER_nondet_int(), i = 0; while (i < n) i++; if (i == 4) reach_error(); }",
        "UNSAFE",
    );
    check(
        "int main() { int n = __VERIFIER_nondet_int(), i, j, k = 0; \
         for (i = 0; i < n; i++) for (j = i; j < n; j++) { if (j < i) reach_error(); k++; } \
         if (k < 0) reach_error(); }",
        "SAFE",
    );
    check_both(
        "int main() { unsigned x = __VERIFIER_nondet_uint(); while (x % 2 == 1) x = __VERIFIER_nondet_uint(); \
         if (x % 2 != 0) reach_error(); }",
        "SAFE",
    );
}

#[test]
fn state_machines() {
    let machine = |last: u32| {
        format!(
            "int main() {{ int s = 10, seen = 0; while (1) {{ \
             if (s == 10) {{ s = __VERIFIER_nondet_int() ? 20 : 30; }} \
             else if (s == 20) {{ if (seen == 0) seen = 1; s = 40; }} \
             else if (s == 30) {{ if (seen == 1) seen = 2; s = 10; }} \
             else if (s == 40) {{ if (seen == {last}) reach_error(); s = 30; }} }} }}"
        )
    };
    check_both(&machine(3), "SAFE");
    check_both(&machine(2), "UNSAFE");
}

#[test]
fn functions_and_calls() {
    check_both(
        "int g; void lock(void) { if (g) reach_error(); g = 1; } void unlock(void) { if (!g) reach_error(); g = 0; } \
         int main() { int old, new; do { lock(); old = new; if (__VERIFIER_nondet_int()) { unlock(); new++; } } \
         while (new != old); unlock(); }",
        "SAFE",
    );
    check_both(
        "int f(int x) { return x > 0 ? x : 0; } int main() { int s = 0; while (__VERIFIER_nondet_int()) \
         s = f(s + f(__VERIFIER_nondet_int() % 10)); if (s < 0) reach_error(); }",
        "SAFE",
    );
    check(
        "int f(int x) { return x ? f(x - 1) : 0; } int main() { if (f(3)) reach_error(); }",
        "UNKNOWN (recursion: f)",
    );
}

#[test]
fn memory() {
    check_both(
        "int a[3]; int main() { int i = 0; while (__VERIFIER_nondet_int()) { a[i] = i; i = i < 2 ? i + 1 : 0; } \
         if (a[0] != 0) reach_error(); }",
        "SAFE",
    );
    check_both(
        "struct s { int state; int n; }; int main() { struct s *p = malloc(sizeof *p); p->state = 1; p->n = 0; \
         while (__VERIFIER_nondet_int()) { if (p->state == 1) p->n = 5; else p->n = 7; } if (p->n == 7) reach_error(); }",
        "SAFE",
    );
    check_both(
        "int main() { int x = 1, y = 2, *p = &x; while (__VERIFIER_nondet_int()) p = p == &x ? &y : &x; *p = 5; \
         if (x == 5 && y == 5) reach_error(); }",
        "SAFE",
    );
    check_both(
        "int main() { int x = 1, y = 2, *p = &x; while (__VERIFIER_nondet_int()) p = p == &x ? &y : &x; *p = 5; \
         if (y == 5) reach_error(); }",
        "UNSAFE",
    );
}

#[test]
fn what_is_not_modelled_is_not_guessed() {
    let body =
        "int main() { int x = 0; __asm__ volatile (\"nop\" : \"=r\"(x)); while (x) x--; reach_error(); }";
    let (verdict, _) = run(body, Options::default(), Arith::Int);
    assert!(verdict != "SAFE", "{verdict}");
}

/// All options in all combinations. A conjunction may be too little for a block with joins; then that is what is said.
#[test]
fn all_combinations() {
    let programs = [
        (
            "int main() { int i = 0; while (__VERIFIER_nondet_int()) { if (i < 5) i++; } if (i > 5) reach_error(); }",
            "SAFE",
        ),
        (
            "int g; int f(int x) { return x + 1; } int main() { while (g < 2) g = f(g); if (g == 2) reach_error(); }",
            "UNSAFE",
        ),
    ];
    for (body, expected) in programs {
        for blocks in BLOCKS {
            for abstraction in KINDS {
                for order in ORDERS {
                    for precision in SCOPES {
                        for arith in [Arith::Int, Arith::Bv] {
                            let options = Options { blocks, abstraction, precision, order };
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

/// The pattern of document 003's `test_locks`: each lock is taken and released under a condition of its own.
fn locks(n: usize) -> String {
    let mut body = String::from("int main() { int cond;");
    for i in 0..n {
        let _ = write!(body, "int p{i} = __VERIFIER_nondet_int(), l{i};");
    }
    body.push_str("while (1) { cond = __VERIFIER_nondet_int(); if (!cond) break;");
    (0..n).for_each(|i| write!(body, "l{i} = 0;").expect("text"));
    (0..n).for_each(|i| write!(body, "if (p{i}) l{i} = 1;").expect("text"));
    (0..n)
        .for_each(|i| write!(body, "if (p{i}) {{ if (l{i} != 1) reach_error(); l{i} = 0; }}").expect("text"));
    body.push_str("} return 0; }");
    body
}

#[test]
fn locks_cost_the_same_with_large_blocks_and_grow_with_single_ones() {
    for blocks in [Blocks::Large, Blocks::default()] {
        for n in [3, 15] {
            let options = Options { blocks, ..Options::default() };
            let (verdict, stats) = run(&locks(n), options, Arith::Int);
            assert_eq!(verdict, "SAFE");
            assert_eq!(counter(&stats, "refinements"), 0.0);
            assert!(counter(&stats, "art_nodes") <= 4.0);
            assert!(counter(&stats, "solver_calls") <= 20.0);
        }
    }
    let single = |n| {
        let options = Options { blocks: Blocks::Single, abstraction: Kind::Cartesian, ..Options::default() };
        let (verdict, stats) = run(&locks(n), options, Arith::Int);
        assert_eq!(verdict, "SAFE");
        counter(&stats, "art_nodes")
    };
    let sizes: Vec<f64> = (2..=5).map(single).collect();
    assert!(sizes.windows(2).all(|w| w[1] > w[0] * 1.6), "{sizes:?}");
}
