//! What the checker says of values: operations that may leave their type, and bits that are read with the other sign.

mod common;

use common::{at, c, checked, proof, said, value, with_sorts};
use craig_base::Budget;
use craig_cfa::Program;
use craig_encode::Arith;
use craig_verdict::certificate::{Certificate, Invariants, Proof};
use craig_verdict::check;

fn lines(program: &Program, certificate: &Certificate, signed_wrap: bool) -> Vec<u32> {
    let checked = check(program, certificate, signed_wrap, &Budget::unlimited()).expect("a proof");
    checked.may_overflow.iter().map(|span| program.source.line(*span)).collect()
}

/// The lines where a signed operation may overflow, for a proof with these formulas; without formulas loops are unwound.
fn overflows(body: &str, variables: &[&str], formulas: &[(u32, &str)]) -> Vec<u32> {
    let program = c(body);
    let proof = match formulas {
        [] => Proof::Unwinding,
        _ => Proof::Invariants(with_sorts(&program, Arith::Int, proof(&program, variables, formulas))),
    };
    let certificate = Certificate { arith: Arith::Int, proof };
    assert_eq!(lines(&program, &certificate, true), [] as [u32; 0], "what wraps around does not overflow");
    lines(&program, &certificate, false)
}

#[test]
fn invariants() {
    let body = "int main() {\n int i = 0, k = 0;\n while (__VERIFIER_nondet_int()) {\n  if (i < 5) i++;\n  k = -k;\n  k++;\n }\n \
                if (i > 5) reach_error(); }";
    // The formula bounds `i`, of `k` nothing is known.
    assert_eq!(overflows(body, &["i"], &[(4, "(and (<= 0 i) (<= i 5))")]), [6, 7]);
    assert_eq!(overflows(body, &["i"], &[(4, "(<= i 5)")]), [6, 7]);
    // What overflowed before does not overflow again: behind the first operation `k` is above the least value.
    let swapped = body.replace("k = -k;\n  k++;", "k++;\n  k = -k;");
    assert_eq!(overflows(&swapped, &["i"], &[(4, "(<= i 5)")]), [6]);
    let constant = body.replace("k++", "k = 3");
    assert_eq!(overflows(&constant, &["i", "k"], &[(4, "(and (<= i 5) (<= 0 k) (<= k 3))")]), [] as [u32; 0]);
}

#[test]
fn unwinding() {
    let sum = |start: &str| {
        format!(
            "int main() {{\n int s = {start};\n for (int i = 0; i < 4; i++)\n  s += i;\n if (s == 5) reach_error(); }}"
        )
    };
    assert_eq!(overflows(&sum("0"), &[], &[]), [] as [u32; 0]);
    assert_eq!(overflows(&sum("2147483641"), &[], &[]), [] as [u32; 0]);
    assert_eq!(overflows(&sum("2147483642"), &[], &[]), [5]);
}

#[test]
fn operations() {
    let check = |operation: &str, expected: &[u32]| {
        let body = format!(
            "int main() {{\n int x = __VERIFIER_nondet_int(), y = 0; unsigned u = x; long long w = x; short s = x;\n \
             {operation};\n if (y == 1 && y == 2) reach_error(); }}"
        );
        assert_eq!(overflows(&body, &[], &[]), expected, "{operation}");
    };
    check("y = x + 1", &[4]);
    check("y = x - 1", &[4]);
    check("y = 2 * x", &[4]);
    check("y = -x", &[4]);
    check("y = x / -1", &[4]);
    check("y = x / 2", &[]);
    check("y = s * s", &[]);
    check("y = u + 1", &[]);
    check("w = w * 2 + 1", &[]);
    check("w = w * w * w", &[4]);
    check("if (x < 100) y = x + 1", &[]);
    check("if (x > 100) y = x + 1", &[4]);
}

/// In bits everything wraps around, and a proof assumes nothing.
#[test]
fn bits() {
    let program = c(
        "int main() {\n int x = __VERIFIER_nondet_int();\n while (__VERIFIER_nondet_int()) x = x + 1;\n if (x != x) reach_error(); }",
    );
    let found = checked(&program, Arith::Bv, proof(&program, &["x"], &[(4, "true")])).expect("a proof");
    assert_eq!(found.may_overflow, []);
}

/// The same bits, read with the other sign: what a certificate says of a version of the program in which the type was another.
#[test]
fn the_other_sign() {
    let program = c(
        "int s = -1; unsigned u = 4294967295u;\nint main() {\n while (__VERIFIER_nondet_int()) {\n  if (s < 3) s++;\n  if (u > 7) u--;\n }\n \
        if (s < -1 || s > 3 || u < 7) reach_error(); }",
    );
    let with = |words: [i32; 2], formula: &str| {
        let mut symbols = vec![value(&program, "s"), value(&program, "u")];
        symbols.iter_mut().zip(words).for_each(|(symbol, word)| symbol.word = Some(word));
        let invariants = vec![at(&program, 4, formula)];
        said(&program, Arith::Int, Invariants { symbols, invariants, ..Invariants::default() })
    };
    let plain = "(and (<= (- 1) s) (<= s 3) (>= u 7))";
    assert_eq!(with([-32, 32], plain), "accepted");
    // -1 is 4294967295, and what is at least 2147483648 is negative.
    let swapped = "(and (or (= s 4294967295) (<= s 3)) (or (< u 0) (>= u 7)))";
    assert_eq!(with([32, -32], swapped), "accepted");
    assert_ne!(with([32, -32], plain), "accepted");
    assert_ne!(with([-32, 32], swapped), "accepted");
}
