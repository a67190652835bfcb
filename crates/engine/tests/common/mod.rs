//! What the tests of engines with blocks share: programs with their verdicts, and the way from a program to a verdict.

#![allow(dead_code, reason = "each test uses a part of it")]

use craig_base::Budget;
use craig_cfa::pass::prepare::{self, PrepareOptions, Prepared, prepare};
use craig_encode::Arith;
use craig_engine::arg::SearchOrder;
use craig_engine::blocks::{BlockEnd, Blocks};
use craig_engine::run::{RunOptions, Stats};
use craig_frontend::c::load_text;
use craig_verdict::{Outcome, Verdict, judge};
use std::fmt::Write;

const HEAD: &str = "int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void); void reach_error(void);\
    void *malloc(unsigned long);\n";

pub const BLOCKS: [Blocks; 5] = [
    Blocks::Single,
    Blocks::Large,
    Blocks::Adjustable(BlockEnd::LoopHeads),
    Blocks::Adjustable(BlockEnd::Calls),
    Blocks::Adjustable(BlockEnd::Operations(3)),
];
pub const ORDERS: [SearchOrder; 3] = [SearchOrder::Bfs, SearchOrder::Dfs, SearchOrder::Topological];

/// Runs an engine on a program prepared for the kind of blocks; the verdict comes from the checker and the interpreter.
pub fn run(
    body: &str,
    blocks: Blocks,
    arith: Arith,
    engine: impl FnOnce(&Prepared, &RunOptions, &Budget, &mut Stats) -> Outcome,
) -> (String, Stats) {
    let load = craig_frontend::Reading::default();
    let program = load_text("test.c", &format!("{HEAD}{body}"), &load, &Budget::unlimited())
        .expect("a program")
        .program;
    let blocks = if blocks == Blocks::Large { prepare::Blocks::Large } else { prepare::Blocks::Single };
    let prepared = prepare(&program, &PrepareOptions { blocks, ..PrepareOptions::default() });
    let mut stats = Stats::default();
    let budget = Budget::unlimited();
    let run = RunOptions { arith, signed_wrap: false };
    let outcome = engine(&prepared, &run, &budget, &mut stats);
    let verdict = match judge(&program, outcome, false, &budget) {
        Verdict::Unknown(reason) => format!("UNKNOWN ({reason})"),
        decided => decided.name().into(),
    };
    (verdict, stats)
}

pub fn counter(stats: &Stats, name: &str) -> f64 {
    stats.counters.iter().find(|(n, _)| *n == name).expect("a counter").1
}

/// A program and its verdict.
pub struct Case {
    pub body: String,
    pub expected: &'static str,
    /// Whether it is to be decided in bit-vectors as well.
    pub bits: bool,
}

impl Case {
    fn int(body: &str, expected: &'static str) -> Case {
        Case { body: body.into(), expected, bits: false }
    }

    fn both(body: &str, expected: &'static str) -> Case {
        Case { body: body.into(), expected, bits: true }
    }
}

pub fn loops() -> Vec<Case> {
    vec![
        Case::int(
            "int main() { int n = __VERIFIER_nondet_int(), i = 0, s = 0; if (n < 0) return 0; \
         while (i < n) { i++; s += 2; } if (s != 2 * n) reach_error(); }",
            "SAFE",
        ),
        Case::both("int main() { int i = 0; while (i < 1000) i++; if (i != 1000) reach_error(); }", "SAFE"),
        Case::both(
            "int main() { int n = __VERIFIER_nondet_int(), i = 0; while (i < n) i++; if (i == 4) reach_error(); }",
            "UNSAFE",
        ),
        Case::int(
            "int main() { int n = __VERIFIER_nondet_int(), i, j, k = 0; \
         for (i = 0; i < n; i++) for (j = i; j < n; j++) { if (j < i) reach_error(); k++; } \
         if (k < 0) reach_error(); }",
            "SAFE",
        ),
        Case::both(
            "int main() { unsigned x = __VERIFIER_nondet_uint(); while (x % 2 == 1) x = __VERIFIER_nondet_uint(); \
         if (x % 2 != 0) reach_error(); }",
            "SAFE",
        ),
    ]
}

pub fn functions_and_calls() -> Vec<Case> {
    vec![
        Case::both(
            "int g; void lock(void) { if (g) reach_error(); g = 1; } void unlock(void) { if (!g) reach_error(); g = 0; } \
         int main() { int old, new; do { lock(); old = new; if (__VERIFIER_nondet_int()) { unlock(); new++; } } \
         while (new != old); unlock(); }",
            "SAFE",
        ),
        Case::both(
            "int f(int x) { return x > 0 ? x : 0; } int main() { int s = 0; while (__VERIFIER_nondet_int()) \
         s = f(s + f(__VERIFIER_nondet_int() % 10)); if (s < 0) reach_error(); }",
            "SAFE",
        ),
        // The write matters to nothing, but it happens: what is read before it is no constant of the whole program.
        Case::both(
            "int g, h; int main() { if (h) reach_error(); h = __VERIFIER_nondet_int(); \
         for (int i = 0; i < 2; i++) {} if (g) reach_error(); }",
            "SAFE",
        ),
        Case::int(
            "int f(int x) { return x ? f(x - 1) : 0; } int main() { if (f(3)) reach_error(); }",
            "UNKNOWN (recursion: f)",
        ),
    ]
}

pub fn memory() -> Vec<Case> {
    vec![
        Case::both(
            "int a[3]; int main() { int i = 0; while (__VERIFIER_nondet_int()) { a[i] = i; i = i < 2 ? i + 1 : 0; } \
         if (a[0] != 0) reach_error(); }",
            "SAFE",
        ),
        Case::both(
            "struct s { int state; int n; }; int main() { struct s *p = malloc(sizeof *p); p->state = 1; p->n = 0; \
         while (__VERIFIER_nondet_int()) { if (p->state == 1) p->n = 5; else p->n = 7; } if (p->n == 7) reach_error(); }",
            "SAFE",
        ),
        Case::both(
            "int main() { int x = 1, y = 2, *p = &x; while (__VERIFIER_nondet_int()) p = p == &x ? &y : &x; *p = 5; \
         if (x == 5 && y == 5) reach_error(); }",
            "SAFE",
        ),
        Case::both(
            "int main() { int x = 1, y = 2, *p = &x; while (__VERIFIER_nondet_int()) p = p == &x ? &y : &x; *p = 5; \
         if (y == 5) reach_error(); }",
            "UNSAFE",
        ),
        // A count whose bytes wrap around the address space moves backwards, as CIL writes `container_of`.
        Case::both(
            "struct s { int a[4]; } x[2]; int main() { struct s *p = x; while (__VERIFIER_nondet_int()) p = p == x ? x + 1 : x; \
         p = p + 0x0fffffffU; if (p == x) reach_error(); }",
            "UNSAFE",
        ),
    ]
}

pub fn state_machines() -> Vec<Case> {
    let machine = |last: u32| {
        format!(
            "int main() {{ int s = 10, seen = 0; while (1) {{ \
             if (s == 10) {{ s = __VERIFIER_nondet_int() ? 20 : 30; }} \
             else if (s == 20) {{ if (seen == 0) seen = 1; s = 40; }} \
             else if (s == 30) {{ if (seen == 1) seen = 2; s = 10; }} \
             else if (s == 40) {{ if (seen == {last}) reach_error(); s = 30; }} }} }}"
        )
    };
    vec![Case::both(&machine(3), "SAFE"), Case::both(&machine(2), "UNSAFE")]
}

/// The pattern of document 003's `test_locks`: each lock is taken and released under a condition of its own.
pub fn locks(n: usize) -> String {
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

/// Small ones for all combinations of options.
pub const SMALL: [(&str, &str); 2] = [
    (
        "int main() { int i = 0; while (__VERIFIER_nondet_int()) { if (i < 5) i++; } if (i > 5) reach_error(); }",
        "SAFE",
    ),
    (
        "int g; int f(int x) { return x + 1; } int main() { while (g < 2) g = f(g); if (g == 2) reach_error(); }",
        "UNSAFE",
    ),
];

/// An operation that is not modelled decides about the error.
pub const NOT_MODELLED: &str =
    "int main() { int x = 0; __asm__ volatile (\"nop\" : \"=r\"(x)); while (x) x--; reach_error(); }";

/// What every engine with blocks passes: the kinds of blocks given in integers, the default in bit-vectors.
macro_rules! suite {
    ($($blocks:expr),*) => {
        fn check(cases: &[common::Case]) {
            for common::Case { body, expected, bits } in cases {
                for blocks in [$($blocks),*] {
                    let options = Options { blocks, ..Options::default() };
                    assert_eq!(run(body, options, Arith::Int).0, *expected, "{options:?}: {body}");
                }
                if *bits {
                    assert_eq!(run(body, Options::default(), Arith::Bv).0, *expected, "bit-vectors: {body}");
                }
            }
        }

        #[test]
        fn loops() {
            check(&common::loops());
        }

        #[test]
        fn state_machines() {
            check(&common::state_machines());
        }

        #[test]
        fn functions_and_calls() {
            check(&common::functions_and_calls());
        }

        #[test]
        fn memory() {
            check(&common::memory());
        }

        #[test]
        fn what_is_not_modelled_is_not_guessed() {
            let (verdict, _) = run(common::NOT_MODELLED, Options::default(), Arith::Int);
            assert!(verdict != "SAFE", "{verdict}");
        }
    };
}
pub(crate) use suite;
