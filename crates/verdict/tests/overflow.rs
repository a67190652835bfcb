//! What the checker says of values: operations that may leave their type, and bits that are read with the other sign.

mod common;

use common::{at, c, checked, proof, said, value, with_sorts};
use craig_base::Budget;
use craig_encode::Arith;
use craig_verdict::certificate::{Certificate, Invariants, Proof};
use craig_verdict::check;

/// The lines where a proof with these formulas needs that a signed operation does not overflow; without formulas loops are unwound.
fn overflows(body: &str, variables: &[&str], formulas: &[(u32, &str)]) -> Vec<u32> {
    let program = c(body);
    let proof = match formulas {
        [] => Proof::Unwinding,
        _ => Proof::Invariants(with_sorts(&program, Arith::Int, proof(&program, variables, formulas))),
    };
    let certificate = Certificate::new(Arith::Int, proof);
    let checked = |signed_wrap: bool| check(&program, &certificate, signed_wrap, &Budget::unlimited());
    let found = checked(false).expect("a proof").may_overflow;
    assert_eq!(checked(true).is_ok(), found.is_empty(), "a proof also if everything wraps around?");
    found.iter().map(|span| program.source.line(*span)).collect()
}

const NOWHERE: [u32; 0] = [];

#[test]
fn invariants() {
    let body = "int main() {\n int i = 0, k = 0;\n while (__VERIFIER_nondet_int()) {\n  if (i < 5) i++;\n  k++;\n  k++;\n }\n \
                if (i > 5 || k < 0) reach_error(); }";
    let formula = "(and (<= i 5) (>= k 0))";
    // The formula bounds `i`; of `k` nothing is known but what overflow would change.
    assert_eq!(overflows(body, &["i", "k"], &[(4, formula)]), [6, 7]);
    // What overflowed before does not overflow again: what is left of `k` fits.
    let swapped = body.replace("k++;\n  k++;", "k += 2;\n  k -= k / 2;");
    assert_eq!(overflows(&swapped, &["i", "k"], &[(4, formula)]), [6]);
    let constant = body.replace("k++;\n  k++", "k = -k;\n  k = 3");
    assert_eq!(overflows(&constant, &["i", "k"], &[(4, formula)]), NOWHERE);
    // It overflows, and nothing depends on it.
    let beside = body.replace(" || k < 0", "");
    assert_eq!(overflows(&beside, &["i"], &[(4, "(<= i 5)")]), NOWHERE);
}

#[test]
fn unwinding() {
    let sum = |start: &str, error: &str| {
        let body = format!(
            "int main() {{\n int s = {start};\n for (int i = 0; i < 4; i++)\n  s += i;\n if ({error}) reach_error(); }}"
        );
        overflows(&body, &[], &[])
    };
    assert_eq!(sum("0", "s < 0"), NOWHERE);
    assert_eq!(sum("2147483641", "s < 0"), NOWHERE);
    assert_eq!(sum("2147483642", "s < 0"), [5]);
    assert_eq!(sum("2147483642", "s == 5"), NOWHERE);
}

#[test]
fn operations() {
    let check = |operation: &str, error: &str, expected: &[u32]| {
        let body = format!(
            "int main() {{\n int x = __VERIFIER_nondet_int(), y = 0; unsigned u = x; long long w = x; short s = x;\n \
             {operation};\n if ({error}) reach_error(); }}"
        );
        assert_eq!(overflows(&body, &[], &[]), expected, "{operation}");
    };
    check("y = x + 1", "x > 0 && y < 0", &[4]);
    check("y = x + 1", "y == 1 && y == 2", &[]);
    check("y = x - 1", "x < 0 && y > 0", &[4]);
    check("y = 2 * x", "x > 0 && y < 0", &[4]);
    check("y = -x", "x < 0 && y < 0", &[4]);
    check("y = x / -1", "x < 0 && y < 0", &[4]);
    check("y = x / 2", "x > 0 && y < 0", &[]);
    check("y = s * s", "y < 0", &[]);
    check("u = u + 1", "x >= 0 && u == 0", &[]);
    check("w = w * 2 + 1", "x > 0 && w < 0", &[]);
    check("w = w * w * w", "x > 0 && w < 0", &[4]);
    check("if (x < 100) y = x + 1", "x > 0 && y < 0", &[]);
    check("if (x > 100) y = x + 1", "x > 0 && y < 0", &[4]);
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
