//! What the tests of engines share: programs with their verdicts, and the way from a program to a verdict.

#![allow(dead_code, reason = "each test uses a part of it")]

use craig_base::Budget;
use craig_cfa::{BlockEnd, Blocks};
use craig_engine::arg::SearchOrder;
use craig_engine::{Engine, Selection, Silent, Stats};
use craig_frontend::c::load_text;
use craig_report::text;
use craig_solve::{Answer, Arithmetic, Plan, Reading, solve};
use std::fmt::Write;
use std::sync::Arc;

pub const HEAD: &str = "int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void); void reach_error(void);\
    void *malloc(unsigned long); void *memset(void *, int, unsigned long);\n";

pub const BLOCKS: [Blocks; 5] = [
    Blocks::Single,
    Blocks::Large,
    Blocks::Adjustable(BlockEnd::LoopHeads),
    Blocks::Adjustable(BlockEnd::Calls),
    Blocks::Adjustable(BlockEnd::Operations(3)),
];
pub const ORDERS: [SearchOrder; 4] =
    [SearchOrder::Bfs, SearchOrder::Dfs, SearchOrder::Topological, SearchOrder::Weights];
pub const BOTH: [Arithmetic; 2] = [Arithmetic::Int, Arithmetic::Bv];

/// The answer of an engine on a C program without its head.
pub fn answer(body: &str, engine: Engine, arithmetic: Arithmetic, budget: &Budget) -> Answer {
    let reading = Reading::default();
    let loaded = load_text("test.c", &format!("{HEAD}{body}"), &reading, budget).expect("a program");
    let selection = Selection { only: Some(engine), ..Selection::default() };
    let plan = Plan { selection, arithmetic, ..Plan::default() };
    solve(Arc::new(loaded.program), reading, &plan, budget, &mut Silent)
}

/// The verdict, which comes from the checker and the interpreter, and what the engine counted.
pub fn run(body: &str, engine: Engine, arithmetic: Arithmetic) -> (String, Stats) {
    let answer = answer(body, engine, arithmetic, &Budget::unlimited());
    let stats = answer.decisive().map(|a| a.stats.clone()).unwrap_or_default();
    (text::verdict(&answer), stats)
}

pub fn counter(stats: &Stats, name: &str) -> f64 {
    stats.get(name).expect("a counter")
}

/// A program and its verdict.
#[derive(Debug, Clone)]
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
            "SAFE",
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

/// The pattern of LBE's `test_locks`: each lock is taken and released under a condition of its own.
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

/// An operation that is not modelled decides about the error, and the way to the error leads over it.
pub const NOT_MODELLED: &str = "float sqrtf(float); int main() { float f = 2; int x = f * f > 3.9f; \
    __asm__ goto (\"\" : : : : out); if (x) reach_error(); out: return 0; }";

/// All cases.
pub fn all() -> Vec<Case> {
    [loops(), state_machines(), functions_and_calls(), memory()].concat()
}
