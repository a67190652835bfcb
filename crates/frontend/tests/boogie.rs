//! Boogie programs under the interpreter: those that check themselves, those with a known error, and all operations on short bit-vectors.

use craig_base::Budget;
use craig_cfa::interp::{self, Config, Random, RunEnd, Zero};
use craig_cfa::{Program, verify};
use craig_frontend::boogie::load_text;
use craig_frontend::{Reading, load};
use std::fmt::Write as _;
use std::path::Path;

const SEEDS: u64 = 60;

fn program(text: &str) -> Program {
    let program = load_text("test.bpl", text, &Reading::default(), &Budget::unlimited())
        .unwrap_or_else(|e| panic!("{text}\n{e:?}"))
        .program;
    verify::verify(&program).unwrap_or_else(|v| panic!("{text}\n{v:#?}"));
    program
}

/// How a run ends, and at which line.
fn run(program: &Program, seed: Option<u64>) -> (RunEnd, Option<u32>) {
    let config = Config { steps: 20_000, ..Config::default() };
    let run = match seed {
        Some(seed) => interp::run(program, &config, &mut Random::new(seed), &mut Vec::new()),
        None => interp::run(program, &config, &mut Zero, &mut Vec::new()),
    };
    (run.end, run.at.map(|at| program.source.line(at.span)))
}

#[test]
fn programs_that_check_themselves() {
    for name in ["control", "procedures", "data"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/boogie/{name}.bpl"));
        let program = load(&path, &Reading::default(), &Budget::unlimited())
            .unwrap_or_else(|e| panic!("{name}: {e:?}"))
            .program;
        verify::verify(&program).unwrap();
        let mut ended = 0;
        for seed in (0..SEEDS).map(Some).chain([None]) {
            match run(&program, seed) {
                (RunEnd::Ended { .. }, _) => ended += 1,
                (RunEnd::Blocked, _) => {}
                (outcome, line) => panic!("{name}, seed {seed:?}: {outcome:?} at line {line:?}"),
            }
        }
        assert!(ended > 0, "{name}: no run gets to its end");
    }
}

/// Each reaches its error at the line that is given, with some of the seeds, and at no other.
#[test]
fn programs_with_an_error() {
    for (line, text) in [
        (1, "procedure main() { assert false; }"),
        (2, "procedure main() { var x: int;\n assert x != 0; }"),
        (2, "var g: int; procedure main() {\n assert g != 0; }"),
        (1, "procedure main() { var x: int; while (x < 3) invariant x < 3; { x := x + 1; } }"),
        (1, "procedure main() { var x: int; while (*) invariant x == 0; { } }"),
        (2, "procedure p(x: int) requires x > 0; { } procedure main() {\n call p(0); }"),
        (
            2,
            "procedure p() returns (r: int)\n ensures r == 1; { r := 2; } procedure main() { var x: int; call x := p(); }",
        ),
        (
            2,
            "procedure p() returns (r: int); procedure main() { var x: int; call x := p();\n assert x == 1; }",
        ),
        (
            2,
            "var g: int; procedure p(); modifies g; procedure main() modifies g; { g := 1; call p();\n assert g == 1; }",
        ),
        (2, "var g: int; procedure main() modifies g;\n ensures old(g) == g; { g := g + 1; }"),
        (
            2,
            "procedure main() { var b: bool; goto A, B; A: b := true; goto C; B: b := false; C:\n assert b; }",
        ),
        (2, "procedure main() { if (*) {\n assert false; } }"),
        (2, "procedure p() { } procedure q() {\n assert false; }"),
        (2, "procedure main() { var m, n: [int]int; m[0] := 1; n := m; n[0] := 2;\n assert m[0] == n[0]; }"),
        (2, "procedure main() { var x, y: int; x, y := 1, 2; x, y := y, x;\n assert x == 1; }"),
        (2, "function f(x: int): int; procedure main() {\n assert f(1) == f(2); }"),
        (2, "const c: int; procedure main() {\n assert c == 0; }"),
        (2, "procedure main() { var r: real; r := 1.0 / 4.0;\n assert r > 0.25; }"),
        (2, "procedure main() { var x: bv4; x := 15bv4;\n assert x[4:2] ++ 0bv2 == x; }"),
        (2, "procedure main() { var x: int where x > 0; havoc x;\n assert x > 1; }"),
        (2, "procedure main() { var x: int; L: while (true) { x := 3; break L; }\n assert x != 3; }"),
        (2, "type T; var a, b: T; procedure main() {\n assert a == b; }"),
        // The free claim is assumed, the other one fails.
        (
            2,
            "procedure p(x: int) returns (r: int) free ensures r > 0;\n ensures r > x; { } procedure main() { var y: int; call y := p(5); }",
        ),
        // The error comes before what is not modelled.
        (2, "procedure main() { var x: int;\n assert x == 0; assume (forall y: int :: y > x); }"),
    ] {
        let program = program(text);
        let mut found = 0;
        for seed in (0..SEEDS).map(Some).chain([None]) {
            match run(&program, seed) {
                (RunEnd::Error, at) => {
                    assert_eq!(at, Some(line), "{text}");
                    found += 1;
                }
                (RunEnd::Ended { .. } | RunEnd::Blocked | RunEnd::Limit(_), _) => {}
                (outcome, at) => panic!("{outcome:?} at line {at:?}\n{text}"),
            }
        }
        assert!(found > 0, "no seed reaches the error\n{text}");
    }
}

/// No run may reach the error.
#[test]
fn programs_without_an_error() {
    for text in [
        "procedure main() { var x: int; assume x > 0; assert x >= 1; }",
        "procedure p(x: int) requires x > 0; { assert x > 0; }",
        "procedure main() { var x: int; assume false; assert false; }",
        "axiom false; procedure main() { assert false; }",
        "const a: int; axiom a == 1; axiom a == 2; procedure main() { assert false; }",
        "const unique a, b: bv1; const unique c: bv1; var x: bv1; procedure main() { assert a == b || b == c || a == c || x == a; }",
        "var g: int where g > 3; procedure main() { assert g > 0; }",
        "var g: int; procedure main() modifies g; { call p(); assert g == 2; } procedure p(); modifies g; ensures g == 2;",
        "var g: int; procedure p() requires old(g) == g; { } procedure main() { call p(); }",
        "procedure main() { call p(); } procedure p() free ensures false; { } procedure q() { assert false; }",
        "procedure p(x: int) returns (r: int); free requires x > 5; procedure main() { var y, z: int; call z := p(y); assert y > 5; }",
        "procedure p(x: int where x > 5); procedure main() { var y: int; call p(y); assert y > 5; }",
        "procedure main() { var x: int; while (x < 10) free invariant x < 5; { x := x + 1; } assert false; }",
    ] {
        let program = program(text);
        for seed in (0..SEEDS).map(Some).chain([None]) {
            let (outcome, line) = run(&program, seed);
            assert!(
                matches!(outcome, RunEnd::Ended { .. } | RunEnd::Blocked | RunEnd::Limit(_)),
                "{outcome:?} at line {line:?}\n{text}"
            );
        }
    }
}

/// A path that relies on an arbitrary value in place of what is not modelled gives no answer.
#[test]
fn errors_behind_what_is_not_modelled_are_no_errors() {
    for text in [
        "procedure main() { var x: int; assume (forall y: int :: y > x); assert false; }",
        "procedure main() { assert (exists y: int :: y > 0); }",
        "function f(x: int): int; axiom (forall y: int :: f(y) > y); procedure main() { assert f(1) > 1; }",
        "var m: [int]int; procedure main() modifies m; { m := (lambda x: int :: x); assert m[1] == 1; }",
    ] {
        let program = program(text);
        let mut met = 0;
        for seed in (0..SEEDS).map(Some) {
            match run(&program, seed).0 {
                RunEnd::Unsupported(_) => met += 1,
                RunEnd::Ended { .. } | RunEnd::Blocked => {}
                other => panic!("{other:?}\n{text}"),
            }
        }
        assert!(met > 0, "{text}");
    }
}

const WIDTH: u32 = 4;
const MASK: u32 = (1 << WIDTH) - 1;

fn signed(v: u32) -> i32 {
    if v >> (WIDTH - 1) == 1 { v as i32 - (1 << WIDTH) } else { v as i32 }
}

/// The definitions of SMT-LIB, written down again.
fn reference(op: &str, a: u32, b: u32) -> u32 {
    let (x, y) = (signed(a), signed(b));
    let negative = |v: u32| v >> (WIDTH - 1) == 1;
    let magnitude = |v: u32| if negative(v) { v.wrapping_neg() & MASK } else { v };
    let udiv = |a: u32, b: u32| a.checked_div(b).unwrap_or(MASK);
    let urem = |a: u32, b: u32| a.checked_rem(b).unwrap_or(a);
    let value = match op {
        "bvadd" => a + b,
        "bvsub" => a.wrapping_sub(b),
        "bvmul" => a * b,
        "bvand" => a & b,
        "bvor" => a | b,
        "bvxor" => a ^ b,
        "bvnand" => !(a & b),
        "bvnor" => !(a | b),
        "bvxnor" => !(a ^ b),
        "bvshl" => {
            if b < WIDTH {
                a << b
            } else {
                0
            }
        }
        "bvlshr" => {
            if b < WIDTH {
                a >> b
            } else {
                0
            }
        }
        "bvashr" => (x >> b.min(WIDTH - 1)).cast_unsigned(),
        "bvudiv" => udiv(a, b),
        "bvurem" => urem(a, b),
        "bvsdiv" => {
            let q = udiv(magnitude(a), magnitude(b));
            if negative(a) == negative(b) { q } else { q.wrapping_neg() }
        }
        "bvsrem" => {
            let r = urem(magnitude(a), magnitude(b));
            if negative(a) { r.wrapping_neg() } else { r }
        }
        "bvsmod" => {
            let u = urem(magnitude(a), magnitude(b));
            match (u, negative(a), negative(b)) {
                (0, ..) | (_, false, false) => u,
                (_, true, false) => u.wrapping_neg().wrapping_add(b),
                (_, false, true) => u.wrapping_add(b),
                (_, true, true) => u.wrapping_neg(),
            }
        }
        "bvult" => u32::from(a < b),
        "bvule" => u32::from(a <= b),
        "bvugt" => u32::from(a > b),
        "bvuge" => u32::from(a >= b),
        "bvslt" => u32::from(x < y),
        "bvsle" => u32::from(x <= y),
        "bvsgt" => u32::from(x > y),
        "bvsge" => u32::from(x >= y),
        other => panic!("{other}"),
    };
    value & MASK
}

#[test]
fn bit_vectors_mean_what_smt_lib_says() {
    let arithmetic = [
        "bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bvshl", "bvlshr",
        "bvashr", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod",
    ];
    let orders = ["bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge"];
    for op in arithmetic.into_iter().chain(orders) {
        let order = orders.contains(&op);
        let result = if order { "bool" } else { "bv4" };
        let mut text = format!(
            "function {{:bvbuiltin \"{op}\"}} f(x: bv4, y: bv4): {result};\nprocedure main() {{ var x, y: bv4;\n"
        );
        for a in 0..=MASK {
            for b in 0..=MASK {
                let expected = match reference(op, a, b) {
                    0 if order => "false".to_string(),
                    _ if order => "true".to_string(),
                    v => format!("{v}bv4"),
                };
                // Once folded while it is read, once computed by the interpreter.
                let _ = writeln!(
                    text,
                    "assert f({a}bv4, {b}bv4) == {expected}; x, y := {a}bv4, {b}bv4; assert f(x, y) == {expected};"
                );
            }
        }
        text.push_str("}\n");
        let program = program(&text);
        let (outcome, line) = run(&program, None);
        let at = line.and_then(|l| text.lines().nth(l as usize - 1));
        assert!(matches!(outcome, RunEnd::Ended { .. }), "{op}: {outcome:?} at {at:?}");
    }
}

#[test]
fn bit_vectors_of_one_operand() {
    let mut text = String::from(
        "function {:bvbuiltin \"bvnot\"} not(x: bv4): bv4; function {:bvbuiltin \"bvneg\"} neg(x: bv4): bv4;\n\
         function {:bvbuiltin \"sign_extend 4\"} sext(x: bv4): bv8; function {:builtin \"(_ zero_extend 4)\"} zext(x: bv4): bv8;\n\
         function {:builtin \"bv2nat\"} nat(x: bv4): int; function {:builtin \"(_ int2bv 4)\"} bv(x: int): bv4;\n\
         function {:bvbuiltin \"bvcomp\"} comp(x: bv4, y: bv4): bv1; function {:bvbuiltin \"concat\"} cat(x: bv4, y: bv4): bv8;\n\
         procedure main() { var x: bv4;\n",
    );
    for v in 0..=MASK {
        let (not, neg) = (!v & MASK, v.wrapping_neg() & MASK);
        let sext = signed(v).cast_unsigned() & 0xff;
        let _ = writeln!(
            text,
            "x := {v}bv4; assert not(x) == {not}bv4 && neg(x) == {neg}bv4 && sext(x) == {sext}bv8 && zext(x) == {v}bv8; \
             assert nat(x) == {v} && bv({v} - 16) == x && bv(nat(x) + 32) == x && comp(x, 3bv4) == {}bv1 && cat(x, 5bv4)[8:4] == x;",
            u32::from(v == 3)
        );
    }
    text.push_str("}\n");
    let (outcome, line) = run(&program(&text), None);
    let at = line.and_then(|l| text.lines().nth(l as usize - 1));
    assert!(matches!(outcome, RunEnd::Ended { .. }), "{outcome:?} at {at:?}");
}
