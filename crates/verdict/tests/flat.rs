//! The checker in flat memory: which proofs it shows, and which it must not.

mod common;

use common::{at, boogie, c, object, proof};
use craig_base::Budget;
use craig_cfa::{EdgeId, Op, Program};
use craig_encode::Arith;
use craig_encode::memory::ObjectKey;
use craig_verdict::certificate::{Binding, Certificate, Invariants, Object, Proof};
use craig_verdict::{CutPoint, flat};

const BOTH: [Arith; 2] = [Arith::Int, Arith::Bv];

fn checked(program: &Program, arith: Arith, proof: Proof) -> flat::Outcome {
    flat::check(program, &Certificate::new(arith, proof), false, &Budget::unlimited())
}

fn said(program: &Program, arith: Arith, invariants: Invariants) -> &'static str {
    checked(program, arith, Proof::Invariants(invariants)).key()
}

/// Unwinding the loops of a program, which must come to an end.
fn unwound(body: &str) -> &'static str {
    let [a, b] = BOTH.map(|arith| checked(&c(body), arith, Proof::Unwinding).key());
    assert_eq!(a, b, "{body}");
    a
}

/// A symbol for so many bits of a variable.
fn part(program: &Program, symbol: &str, variable: &str, offset: u64, word: i32) -> Binding {
    let leaves = vec![(object(program, variable), offset)];
    Binding {
        symbol: symbol.into(),
        sort: String::new(),
        leaves,
        array: false,
        address: false,
        word: Some(word),
    }
}

/// What the only allocation of a program made.
fn allocated(program: &Program) -> Object {
    let edges = program.edges.iter_enumerated();
    let (edge, _) = edges.into_iter().find(|(_, e)| matches!(e.op, Op::Alloc { .. })).expect("an allocation");
    let calls = program.edges.iter_enumerated().find(|(_, e)| matches!(e.op, Op::Call(_)));
    let calls: Vec<EdgeId> = calls.map(|(id, _)| id).into_iter().collect();
    Object(ObjectKey::Alloc(edge, calls))
}

#[test]
fn values_in_variables() {
    let program =
        c("int main() { int x = 0, y = 10;\n while (x < 10) { x++; y--; }\n if (y != 0) reach_error(); }");
    let line = 3;
    let good = "(and (= (+ x y) 10) (<= 0 x) (<= x 10))";
    assert_eq!(said(&program, Arith::Int, proof(&program, &["x", "y"], &[(line, good)])), "shown");
    for wrong in ["(and (= (+ x y) 11) (<= x 10))", "(<= x 10)", "(= (+ x y) 10)", "false", "(= x 0)"] {
        let outcome = said(&program, Arith::Int, proof(&program, &["x", "y"], &[(line, wrong)]));
        assert_eq!(outcome, "not-shown", "{wrong}");
    }
    let bits = "(and (= (bvadd x y) #x0000000a) (bvsle #x00000000 x) (bvsle x #x0000000a))";
    assert_eq!(said(&program, Arith::Bv, proof(&program, &["x", "y"], &[(line, bits)])), "shown");
    let gap = checked(
        &program,
        Arith::Bv,
        Proof::Invariants(proof(&program, &["x", "y"], &[(line, "(= x #x00000000)")])),
    );
    let here = CutPoint::Line(line);
    assert_eq!(gap, flat::Outcome::NotShown { from: here.clone(), to: here });
}

/// Mathematical integers do not wrap around in bits, and are divided as SMT-LIB says.
#[test]
fn integers_are_wide_enough() {
    let program = c(
        "int main() { int x = -7; unsigned u = 4000000000u;\n while (__VERIFIER_nondet_int()) { }\n if (x != -7) reach_error(); }",
    );
    for (formula, expected) in [
        ("(and (= x (- 7)) (= (* 3 u) 12000000000))", "shown"),
        ("(and (= x (- 7)) (= (* u u) 16000000000000000000) (> (+ u u) u))", "shown"),
        ("(and (= (div x 2) (- 4)) (= (mod x 2) 1))", "shown"),
        ("(and (= (div x (- 2)) 4) (= (mod x (- 2)) 1))", "shown"),
        ("(= (ite (< x 0) (+ x u) 0) 3999999993)", "not-shown"),
        ("(and (= u 4000000000) (= (ite (< x 0) (+ x u) 0) 3999999993))", "shown"),
        ("(and (= x (- 7)) (< (* 2 u) u))", "not-shown"),
        ("(= (div x 2) (- 3))", "not-shown"),
        ("(= (mod x 2) (- 1))", "not-shown"),
    ] {
        assert_eq!(
            said(&program, Arith::Int, proof(&program, &["x", "u"], &[(3, formula)])),
            expected,
            "{formula}"
        );
    }
}

/// In integer arithmetic a run ends where it overflows.
#[test]
fn signed_overflow() {
    let program = c(
        "int main() { int x = 1;\n while (__VERIFIER_nondet_int()) { x = x + 1; }\n if (x < 1) reach_error(); }",
    );
    let certificate = |arith, formula: &str| {
        Certificate::new(arith, Proof::Invariants(proof(&program, &["x"], &[(3, formula)])))
    };
    let check = |certificate, wrap| flat::check(&program, &certificate, wrap, &Budget::unlimited()).key();
    assert_eq!(check(certificate(Arith::Int, "(>= x 1)"), false), "shown");
    assert_eq!(check(certificate(Arith::Int, "(>= x 1)"), true), "not-shown");
    assert_eq!(check(certificate(Arith::Bv, "(bvsge x #x00000001)"), false), "not-shown");
}

/// Calls of functions of another type are shown not to happen, or nothing is said.
#[test]
fn callees_of_other_types() {
    let functions = "int x; void set(int v) { x = v; } int get(void) { return x; } \
        void (*s)(int) = set; int (*g)(void) = get; ";
    for (body, expected) in [
        ("int main() { s(3); if (g() != 3) reach_error(); }", "shown"),
        // Where the pointer comes from is not known here.
        (
            "struct o { int (*f)(void); } *other(void); int main() { s(0); if (other()->f() > 0) x = 1; if (x > 1) reach_error(); }",
            "not-translatable",
        ),
        // The function is called.
        (
            "struct a { long n; void (*f)(int); } a = { 1, set }; struct b { int (*f)(void); }; \
          int main() { char *p = (char *)&a + sizeof(long); ((struct b *)p)->f(); }",
            "not-translatable",
        ),
    ] {
        assert_eq!(unwound(&format!("{functions}{body}")), expected, "{body}");
    }
}

/// Nothing is said of where pointers point: that is guessed and checked.
#[test]
fn pointers_across_loops() {
    let program = c("int g; int main() { int x = 0, *p = &x, *q = &g;\n\
         while (__VERIFIER_nondet_int()) { if (*p < 5) *p = *p + 1; *q = 9; }\n if (x > 5) reach_error(); }");
    assert_eq!(said(&program, Arith::Int, proof(&program, &["x"], &[(3, "(<= x 5)")])), "shown");
    assert_eq!(said(&program, Arith::Int, proof(&program, &["x"], &[(3, "(<= x 4)")])), "not-shown");
    let program = c("int g; int main() { int x = 0, *p = &x, *q = &g;\n\
         while (__VERIFIER_nondet_int()) { if (*p < 5) *p = *p + 1; *q = 9; if (__VERIFIER_nondet_int()) q = p; }\n\
         if (x > 5) reach_error(); }");
    assert_eq!(said(&program, Arith::Int, proof(&program, &["x"], &[(3, "(<= x 5)")])), "not-shown");
}

#[test]
fn arrays_beside_variables() {
    let text = |index: &str| {
        c(&format!(
            "int a[4], g, b[4]; int *keep = &g; int main() {{ unsigned i = __VERIFIER_nondet_int();\n\
             while (__VERIFIER_nondet_int()) {{ a[{index}] = 1; b[{index}] = 2; i = i + 1; }}\n if (g != 0) reach_error(); }}"
        ))
    };
    // An access outside of the array that is named ends the run.
    for index in ["i", "i % 4", "i + 3"] {
        let program = text(index);
        assert_eq!(
            said(&program, Arith::Int, proof(&program, &["g"], &[(3, "(= g 0)")])),
            "shown",
            "{index}"
        );
    }
}

/// The elements of an array as values by address.
#[test]
fn values_by_address() {
    let program = c("int a[3]; int main() { a[1] = 5; int i = 0;\n\
         while (__VERIFIER_nondet_int()) { a[0] = i; a[2] = i; }\n if (a[1] != 5) reach_error(); }");
    let array = Binding {
        symbol: "a".into(),
        sort: String::new(),
        leaves: vec![(object(&program, "a"), 0)],
        array: true,
        address: false,
        word: Some(-32),
    };
    let invariants = |formula: &str, addresses: Vec<(Object, u64)>| Invariants {
        symbols: vec![array.clone()],
        addresses,
        invariants: vec![at(&program, 3, formula)],
        ..Invariants::default()
    };
    let placed = || vec![(object(&program, "a"), 8192)];
    assert_eq!(said(&program, Arith::Int, invariants("(= (select a 8196) 5)", placed())), "shown");
    assert_eq!(said(&program, Arith::Int, invariants("(= (select a 8192) 5)", placed())), "not-shown");
    // Nothing is at an address only because the certificate says so.
    assert_eq!(said(&program, Arith::Int, invariants("(= (select a 8196) 5)", Vec::new())), "not-shown");
    let whole = "(= a (store a 8196 5))";
    assert_eq!(said(&program, Arith::Int, invariants(whole, placed())), "not-translatable");
}

/// What the first checker may lose: a pointer that leaves the member it came from.
#[test]
fn bytes_of_structs() {
    let head = "struct S { char tag[4]; int v; };";
    for (copy, changes) in [
        ("for (i = 0; i < sizeof s; i++) ((char *)&t)[i] = ((char *)&s)[i];", true),
        ("for (i = 0; i < sizeof s; i++) t.tag[i] = s.tag[i];", true),
        ("for (i = 4; i < 8; i++) *((unsigned char *)&t + i) = *((unsigned char *)&s + i);", true),
        ("char *p = s.tag, *q = t.tag; while (p < s.tag + 8) *q++ = *p++;", true),
        ("for (i = 0; i < 4; i++) t.tag[i] = s.tag[i];", false),
        ("for (i = 0; i < 4; i++) ((char *)&t)[i] = ((char *)&s)[i];", false),
    ] {
        let body = |error: &str| {
            format!(
                "{head} int main() {{ struct S s, t; unsigned i; s.v = 7; t.v = 1;\n {copy}\n if ({error}) reach_error(); }}"
            )
        };
        let (seven, one) = (unwound(&body("t.v == 7")), unwound(&body("t.v != 7")));
        assert_eq!(
            (seven, one),
            if changes { ("not-shown", "shown") } else { ("shown", "not-shown") },
            "{copy}"
        );
        let program = c(&body("t.v == 7"));
        let mut invariants = Invariants {
            symbols: vec![part(&program, "v", "t", 4, -32)],
            invariants: vec![at(&program, 3, "(= v 1)")],
            ..Invariants::default()
        };
        if changes {
            assert_eq!(said(&program, Arith::Int, invariants.clone()), "not-shown", "{copy}");
        }
        invariants.invariants = vec![at(&program, 3, "(not (= v 7))")];
        if changes {
            assert_eq!(said(&program, Arith::Int, invariants), "not-shown", "{copy}");
        }
    }
}

/// The order of objects is not known: a proof that leans on one says nothing here.
#[test]
fn addresses_in_order() {
    let program = c(
        "int main() { int x = 1, y = 2, *p = &x;\n while (__VERIFIER_nondet_int()) p = p == &x ? &y : &x;\n\
         *p = 5; if (x == 5 && y == 5) reach_error(); }",
    );
    let said = |formula: &str| {
        let mut invariants = proof(&program, &["x", "y", "p"], &[(3, formula)]);
        invariants.addresses = vec![(object(&program, "x"), 8192), (object(&program, "y"), 8224)];
        said(&program, Arith::Int, invariants)
    };
    assert_eq!(said("(and (= x 1) (= y 2) (or (= p 8192) (= p 8224)))"), "shown");
    assert_eq!(said("(and (= x 1) (= y 2) (or (= p 8192) (= p 8228)))"), "not-shown");
    assert_eq!(said("(and (= x 1) (= y 2) (or (= p 8192) (> p 8200)))"), "not-translatable");
}

/// In bit-vectors a large index leads around the address space and back; in integers there is no such run.
#[test]
fn addresses_that_wrap_around() {
    let program = c("int a[3]; int main() { int i = __VERIFIER_nondet_int(); a[i] = i;\n\
         while (__VERIFIER_nondet_int()) { }\n if (a[0] != 0) reach_error(); }");
    for (arith, formula, expected) in
        [(Arith::Int, "(= first 0)", "shown"), (Arith::Bv, "(= first #x00000000)", "not-shown")]
    {
        let invariants = Invariants {
            symbols: vec![part(&program, "first", "a", 0, -32)],
            invariants: vec![at(&program, 3, formula)],
            ..Invariants::default()
        };
        assert_eq!(said(&program, arith, invariants), expected);
    }
}

#[test]
fn memory_seen_in_two_ways() {
    for (body, expected) in [
        (
            "union { int i; char c[4]; } u; int main() { u.i = 0x01020304; if (u.c[0] != 4 || u.c[3] != 1) reach_error(); }",
            "shown",
        ),
        (
            "union { int i; char c[4]; } u; int main() { u.i = 0; u.c[1] = 1; if (u.i == 0) reach_error(); }",
            "shown",
        ),
        (
            "union { int i; char c[4]; } u; int main() { u.i = 0; u.c[1] = 1; if (u.i != 0) reach_error(); }",
            "not-shown",
        ),
        ("int main() { int a[2][2]; a[1][0] = 1; a[0][2] = 5; if (a[1][0] != 5) reach_error(); }", "shown"),
        (
            "int main() { int a[2][2]; a[1][0] = 1; a[0][2] = 5; if (a[1][0] == 5) reach_error(); }",
            "not-shown",
        ),
        (
            "struct { unsigned a : 3, b : 7; } s; int main() { s.a = 5; s.b = 99; s.a = 2; if (s.a != 2 || s.b != 99) reach_error(); }",
            "shown",
        ),
        (
            "struct { unsigned a : 3, b : 7; } s; int main() { s.b = 99; s.a = 2; *(unsigned char *)&s = 0; if (s.b == 99) reach_error(); }",
            "shown",
        ),
        (
            "int main() { double d; int x = 3; int *p = &x; *(int **)&d = p; **(int **)&d = 4; if (x == 4) reach_error(); }",
            "not-shown",
        ),
        ("int main() { float f = 1; int n = f + f > 1; if (n) reach_error(); }", "not-shown"),
        ("int main() { char *s = \"ab\"; if (s[0] != 'a' || s[1] != 'b' || s[2]) reach_error(); }", "shown"),
    ] {
        assert_eq!(unwound(body), expected, "{body}");
    }
}

#[test]
fn ranges_of_bytes() {
    let head = "void *memset(void *, int, unsigned long); void *memcpy(void *, const void *, unsigned long); \
        struct S { char tag[4]; int v; } s, t; int a[100], b[100];";
    for (body, expected) in [
        ("memset(&s, 0, sizeof s); if (s.v != 0) reach_error();", "shown"),
        ("s.v = 1; memset(&s, 0, 5); if (s.v == 1) reach_error();", "shown"),
        ("s.v = 1; memset(&s, 0, 4); if (s.v != 1) reach_error();", "shown"),
        ("s.v = 7; t = s; if (t.v != 7) reach_error();", "shown"),
        ("s.v = 7; memcpy((char *)&t + 4, (char *)&s + 4, 4); if (t.v == 7) reach_error();", "not-shown"),
        ("b[50] = 3; memcpy(a, b, sizeof a); if (a[50] != 3 || a[49] != 0) reach_error();", "shown"),
        (
            "b[50] = 3; unsigned n = __VERIFIER_nondet_int(); memcpy(a, b, n); if (a[50] == 3) reach_error();",
            "not-shown",
        ),
        (
            "b[50] = 3; unsigned n = __VERIFIER_nondet_int(); if (n > 200) n = 200; memcpy(a, b, n); if (a[50] == 3) reach_error();",
            "shown",
        ),
        ("int x = 3; int *p = &x; memset(a, 1, sizeof a); if (*p != 3) reach_error();", "shown"),
        ("int i = 99; memset(a, 1, sizeof a); if (a[i] != 0x01010101) reach_error();", "shown"),
    ] {
        let body = format!("{head} int main() {{ {body} }}");
        assert_eq!(unwound(&body), expected, "{body}");
    }
}

/// Nothing is known of addresses but what C promises.
#[test]
fn where_objects_lie() {
    let head = "void free(void *); int f(int **p) { int x; *p = &x; return 0; } int *keep(int *p) { int y; int *q = &y; return p == q ? q : 0; } \
        int g, h;";
    for (body, expected) in [
        ("int x, y; if (&x == &y) reach_error();", "shown"),
        ("int x; if (&x == 0) reach_error();", "shown"),
        ("int x; if ((unsigned)&x % 4) reach_error();", "shown"),
        ("char x; if ((unsigned)&x % 4) reach_error();", "not-shown"),
        ("int x, y; if (&x < &y) reach_error();", "not-shown"),
        ("int x, y; if (&x + 1 == &y) reach_error();", "not-shown"),
        ("int x; if ((int)&x < 0) reach_error();", "not-shown"),
        ("int x; if ((char)(int)&x == 16) reach_error();", "not-shown"),
        ("if (&g < &h) reach_error();", "not-shown"),
        ("char *p = malloc(3), *q = malloc(3); if (p == q) reach_error();", "shown"),
        ("char *p = malloc(3), *q = malloc(3); if (p + 3 >= q && p < q) reach_error();", "shown"),
        ("char *p = malloc(3), *q = malloc(3); if (p < q) reach_error();", "not-shown"),
        ("char *p = malloc(16), *q = malloc(16); if (p + 16 == q) reach_error();", "not-shown"),
        ("char *p = malloc(3); free(p); char *q = malloc(3); if (p == q) reach_error();", "not-shown"),
        ("char *p = malloc(3); if (p == (char *)&g) reach_error();", "shown"),
        ("int *p; f(&p); if (keep(p)) reach_error();", "not-shown"),
        (
            "int n = __VERIFIER_nondet_int(); int *p = &g; g = 1; *(int *)n = 2; if (g == 2) reach_error();",
            "not-shown",
        ),
        (
            "int n = __VERIFIER_nondet_int(); int *p = &g, *q = &h; g = 1; h = 1; *(int *)n = 2; if (g == 2 && h == 2) reach_error();",
            "shown",
        ),
        // Nobody takes its address, so no number can be it.
        ("int n = __VERIFIER_nondet_int(), k = 1; *(int *)n = 2; if (k == 2) reach_error();", "shown"),
        ("int *p = 0; *p = 1; reach_error();", "shown"),
    ] {
        let body = format!("{head} int main() {{ {body} }}");
        assert_eq!(unwound(&body), expected, "{body}");
    }
}

/// A local has another address in every call.
#[test]
fn locals_of_calls() {
    let program = c(
        "int *old; int f(void) { int x; int *p = &x; int again = p == old; old = p; return again; }\n\
         int main() { int same = 0;\n while (__VERIFIER_nondet_int()) { if (f()) same = 1; else same = 2; if (same == 0) reach_error(); } }",
    );
    assert_eq!(said(&program, Arith::Int, proof(&program, &["same"], &[(4, "true")])), "shown");
    // Both may be: nobody knows where the next call's local lies.
    for claim in ["(< same 2)", "(distinct same 1)"] {
        assert_eq!(
            said(&program, Arith::Int, proof(&program, &["same"], &[(4, claim)])),
            "not-shown",
            "{claim}"
        );
    }
}

#[test]
fn allocated_objects() {
    let text = |step: &str| {
        c(&format!(
            "struct s {{ int n; int m; }}; int g; int *keep = &g; int main() {{ struct s *p = malloc(sizeof *p); p->n = 0;\n\
             while (__VERIFIER_nondet_int()) {{ {step} }}\n if (p->n > 4) reach_error(); }}"
        ))
    };
    for (step, expected) in [
        ("p->n = p->n == 4 ? 0 : p->n + 1;", "shown"),
        ("p->m = 9; g = 9;", "shown"),
        ("p->n = p->n == 5 ? 0 : p->n + 1;", "not-shown"),
        ("*((char *)p + 1) = 1;", "not-shown"),
    ] {
        let program = text(step);
        let n = Binding {
            symbol: "n".into(),
            sort: String::new(),
            leaves: vec![(allocated(&program), 0)],
            array: false,
            address: false,
            word: Some(-32),
        };
        let invariants = Invariants {
            symbols: vec![n],
            invariants: vec![at(&program, 3, "(and (<= 0 n) (<= n 4))")],
            ..Invariants::default()
        };
        assert_eq!(said(&program, Arith::Int, invariants), expected, "{step}");
    }
}

#[test]
fn loops_are_unwound() {
    assert_eq!(
        unwound("int main() { int i, s = 0; for (i = 0; i < 5; i++) s += i; if (s != 10) reach_error(); }"),
        "shown"
    );
    assert_eq!(
        unwound("int main() { int i, s = 0; for (i = 0; i < 5; i++) s += i; if (s == 10) reach_error(); }"),
        "not-shown"
    );
}

/// Integers without bounds have no bits.
#[test]
fn not_translatable() {
    let program = boogie("procedure main() { var x: int; x := 0; assert x == 0; }");
    let outcome = checked(&program, Arith::Int, Proof::Unwinding);
    let expected = flat::Outcome::NotTranslatable(flat::NotTranslatable::MathematicalNumbers);
    assert_eq!(outcome, expected);
    let program = boogie("procedure main() { var m: [bool] bool; m[true] := true; assert m[true]; }");
    let outcome = checked(&program, Arith::Int, Proof::Unwinding);
    assert_eq!(outcome, flat::Outcome::NotTranslatable(flat::NotTranslatable::Maps));
}

/// A budget that is used up is told as such.
#[test]
fn limits() {
    let program = c("int main() { int i = 0; while (i < 5) i++; if (i != 5) reach_error(); }");
    let budget = Budget::unlimited();
    budget.cancel();
    let certificate = Certificate::new(Arith::Bv, Proof::Unwinding);
    assert_eq!(flat::check(&program, &certificate, false, &budget).key(), "undecided");
}
