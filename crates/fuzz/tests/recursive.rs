//! A short slice of the random recursive programs. `CRAIG_TEST_SEED` and `CRAIG_TEST_ROUNDS` in the environment make longer runs by hand; the example
//! `recursive` makes them in release.

use craig_fuzz::Tally;
use craig_fuzz::recursive::{Checks, check, check_text};
use craig_testgen::recursive::generate;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn engines_agree_on_recursive_programs() {
    let (first, count) = (setting("CRAIG_TEST_SEED", 1), setting("CRAIG_TEST_ROUNDS", 1) * 24);
    let checks = Checks { answer: 300_000, diagrams: 300_000, flat: 200_000, ..Checks::default() };
    let mut tally = Tally::default();
    let failures: Vec<String> = (first..first + count)
        .filter_map(|seed| {
            check(&generate(seed), seed, &checks, &mut tally).map(|failure| failure.to_string())
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    // The comparison is worth something only if there is something to find.
    for word in ["SAFE by some", "UNSAFE"] {
        assert!(6 * tally.get(word) >= count, "{word}:\n{tally}");
    }
}

/// What engines say of a text, with nothing wrong.
fn says(engine: &'static str, seed: u64, text: &str) -> Tally {
    let checks = Checks { engines: vec![engine], ..Checks::default() };
    let mut tally = Tally::default();
    assert_eq!(check_text(text, seed, &checks, &mut tally), Ok(()), "{text}");
    tally
}

/// A contract that speaks of an array has no words; what was left of it was called a proof.
#[test]
fn contracts_of_arrays() {
    let text = "void reach_error(void); int a[2]; int p(int n); \
        int q(int n) { return p(n - 1); } int p(int n) { if (n >= n) return 0; a[1] = n; return q(n); } \
        int main(void) { int i = p(3) > 0; if (a[i] > 4) reach_error(); }";
    for seed in [1, 3] {
        says("spacer", seed, text);
    }
}

/// To the checker a call changes what dead code of the callee would change; the contract has to say that it stays.
#[test]
fn contracts_of_dead_code() {
    let text = "void reach_error(void); int __VERIFIER_nondet_int(void); int g; \
        int p(int n) { if (1) return n; g = 0; return p(n - 1); } \
        int main(void) { p(__VERIFIER_nondet_int()); if (g) reach_error(); }";
    assert_eq!(says("spacer", 1, text).get("spacer Int: SAFE by procedures"), 1);
}

/// Diagrams are for statements as C has them: several calls, calls in a `return`.
#[test]
fn statements_with_several_calls() {
    let text = "void reach_error(void); unsigned char __VERIFIER_nondet_uchar(void); \
        unsigned char f(unsigned char n) { if (n < 2) return n; return f(n - 1) > f(n - 2) ? f(n - 1) : f(n - 2); } \
        int main(void) { unsigned char n = __VERIFIER_nondet_uchar(); if (n < 9 && f(n) > 1) reach_error(); }";
    assert_eq!(says("diagrams", 1, text).get("diagrams Bv: SAFE by procedures"), 1);
    assert_eq!(says("diagrams", 1, &text.replace("> 1)", "> 0)")).get("diagrams Bv: UNSAFE"), 1);
}
