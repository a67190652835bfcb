//! Bounded model checking on small programs: every error is replayed by the interpreter.

mod common;

use common::BOTH;
use craig_engine::{Engine, bmc};

fn check(body: &str, expected: &str) {
    for arith in BOTH {
        let engine = Engine::Bmc(bmc::Options::default());
        assert_eq!(common::run(body, engine, arith).0, expected, "{arith:?}: {body}");
    }
}

#[test]
fn values_and_branches() {
    check(
        "int main() { int x = __VERIFIER_nondet_int(); if (x > 5 && x < 7) { if (x != 6) reach_error(); } }",
        "SAFE",
    );
    check("int main() { int x = __VERIFIER_nondet_int(); if (x * 3 == 21) reach_error(); }", "UNSAFE");
    check("int main() { unsigned x = __VERIFIER_nondet_uint(); if (x + 1 < x) reach_error(); }", "UNSAFE");
    check(
        "int main() { unsigned x = __VERIFIER_nondet_uint(); unsigned char c = x; if (c > 255) reach_error(); }",
        "SAFE",
    );
    check(
        "int main() { int x = __VERIFIER_nondet_int(); if ((x & 12) == 8 && x % 16 == 9) reach_error(); }",
        "UNSAFE",
    );
}

#[test]
fn loops() {
    check(
        "int main() { int s = 0; for (int i = 0; i < 10; i++) s += i; if (s != 45) reach_error(); }",
        "SAFE",
    );
    check(
        "int main() { int n = __VERIFIER_nondet_int(), i = 0; while (i < n) i++; if (i == 4) reach_error(); }",
        "UNSAFE",
    );
}

#[test]
fn memory() {
    check(
        "struct s { int state; int n; }; int main() { struct s *p = malloc(sizeof *p); p->state = 1; p->n = 2; if (p->state != 1) reach_error(); }",
        "SAFE",
    );
    check(
        "int main() { int a[4]; int i = __VERIFIER_nondet_int(); if (i < 0 || i > 3) return 0; a[i] = 7; if (a[2] == 7 && i == 2) reach_error(); }",
        "UNSAFE",
    );
    check(
        "int main() { int x = 1, y = 2, *p = __VERIFIER_nondet_int() ? &x : &y; *p = 5; if (x + y == 7) reach_error(); }",
        "UNSAFE",
    );
    check(
        "int main() { int x = 1, y = 2, *p = __VERIFIER_nondet_int() ? &x : &y; *p = 5; if (x == 5 && y == 5) reach_error(); }",
        "SAFE",
    );
    check(
        "struct s { int a, b; }; int main() { struct s x = { 1, 2 }, y = x; y.a = 3; if (x.a != 1 || y.b != 2) reach_error(); }",
        "SAFE",
    );
    check(
        "int g[3] = { 1, 2, 3 }; int main() { int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 3 && g[i] == 3 && i != 2) reach_error(); }",
        "SAFE",
    );
}

#[test]
fn calls_and_limits() {
    check("int f(int x) { return x + 1; } int main() { if (f(f(1)) != 3) reach_error(); }", "SAFE");
    check("int f(int x) { return x ? f(x - 1) : 0; } int main() { if (f(3)) reach_error(); }", "SAFE");
}
