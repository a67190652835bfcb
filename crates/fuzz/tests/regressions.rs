//! Small programs that showed a mistake once. Interpreter, encoding and engines must agree on them, and the encoding must be exact.

use craig_engine::Engine;
use craig_fuzz::{Checks, Tally, driver};

const HEAD: &str = "int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void); void reach_error(void);
unsigned long long __VERIFIER_nondet_ulonglong(void); void *malloc(unsigned long); void *calloc(unsigned long, unsigned long);
void *memset(void *, int, unsigned long); void *memcpy(void *, const void *, unsigned long);\n";

/// Checks a program in both data models; bounded model checking must say what is expected, and no engine may say anything else.
fn check(body: &str, verdict: &str) {
    check_words(body, verdict, &["exact"]);
}

/// The same, with what may be said of the paths.
fn check_words(body: &str, verdict: &str, words: &[&str]) {
    // Bounded model checking ends on them by itself, and so do the questions about paths; the others need not.
    const LONG: u64 = u64::MAX;
    let (bmc, others): (Vec<Engine>, Vec<Engine>) =
        Engine::on_terms().into_iter().partition(|e| e.name() == "bmc");
    let to_the_end = Checks {
        runs: 4,
        question: LONG,
        answer: LONG,
        engines: bmc,
        every_reading: true,
        ..Checks::default()
    };
    let in_time =
        Checks { runs: 0, engines: others, every_reading: true, answer: 2_500_000, ..Checks::default() };
    for (checks, seed) in [&to_the_end, &in_time].into_iter().flat_map(|c| (0..4).map(move |seed| (c, seed)))
    {
        let mut tally = Tally::default();
        let wrong = driver::check(&format!("{HEAD}{body}"), seed, checks, None, &mut tally);
        assert_eq!(wrong, None, "{body}");
        for (what, count) in &tally.counts {
            let expected = match what.split_once(": ") {
                Some((subject, word)) if subject.starts_with("paths") => words.contains(&word),
                Some((subject, word)) if subject.starts_with("bmc") => word == verdict,
                Some((_, word)) if ["SAFE", "UNSAFE"].contains(&word) => word == verdict,
                _ => true,
            };
            assert!(expected, "{count} times {what}\n{body}");
        }
    }
}

/// The product of two 64-bit numbers was arbitrary in integer arithmetic.
#[test]
fn wide_products() {
    check(
        "int main() { unsigned long long a = __VERIFIER_nondet_uint(), b = a + 0x100000000u, c = a * b; a = c / 249; b = c; if (a > b) reach_error(); }",
        "SAFE",
    );
}

/// Setting the first elements of an array set all of them.
#[test]
fn part_of_an_array_is_set() {
    check(
        "int a[5], i; int main() { memset(a, 1, 2 * sizeof a[0]); for (i = 0; i < 5; i++) { int x = a[i]; if (x != (i < 2 ? 0x01010101 : 0)) reach_error(); } }",
        "SAFE",
    );
    check(
        "int a[5], i; int main() { memset(a + 3, 255, 2 * sizeof a[0]); for (i = 0; i < 5; i++) { int x = a[i]; if (x != (i < 3 ? 0 : -1)) reach_error(); } }",
        "SAFE",
    );
}

/// A range that begins in the middle of one element and ends in the next left out what lies before it in its element.
#[test]
fn a_range_across_elements() {
    check_words(
        "struct s { int a, b; } s[3]; int main() { int i = __VERIFIER_nondet_uint() % 2; s[1].a = 7; memset(&s[i].b, 0, 8); int x = s[1].a; if (i == 0 && x == 0) reach_error(); }",
        "UNSAFE",
        &["exact", "inexact: memory"],
    );
}

/// A bit-field does not begin with the first bit of its byte.
#[test]
fn bit_fields_are_set() {
    check(
        "struct s { unsigned f : 26; unsigned g : 6; } s; int main() { memset(&s, 1, sizeof s); int x = s.g, y = s.f; if (x != 0 || y != 0x1010101) reach_error(); }",
        "SAFE",
    );
}

/// Arrays inside of records were not copied.
#[test]
fn arrays_are_copied() {
    check(
        "struct s { int n, a[3]; } s, t; int main() { int i; for (i = 0; i < 3; i++) s.a[i] = i + __VERIFIER_nondet_int() % 9; t = s; for (i = 0; i < 3; i++) { int x = t.a[i]; if (x != s.a[i]) reach_error(); } }",
        "SAFE",
    );
}

/// What an array holds before anything is stored is part of the counterexample, and lies in its type.
#[test]
fn content_of_fresh_arrays() {
    check(
        "int main() { int a[3], i = __VERIFIER_nondet_uint() % 3, x = a[i]; if (x == 77) reach_error(); }",
        "UNSAFE",
    );
    check(
        "int main() { short a[3]; int i = __VERIFIER_nondet_uint() % 3, x = a[i]; unsigned short y = a[i]; if (x > 32767 || y < x) reach_error(); }",
        "SAFE",
    );
    check(
        "int main() { int i, *p = 0; for (i = 0; i < 2; i++) { p = malloc(2 * sizeof *p); p[i] = 3; } int x = p[0]; if (x == 77) reach_error(); }",
        "UNSAFE",
    );
}

/// Unions are chosen as bytes.
#[test]
fn content_of_unions() {
    check(
        "union u { int i; unsigned u; }; int main() { union u a[2]; int x = a[1].i; if (x == 77) reach_error(); }",
        "UNSAFE",
    );
}

/// Global variables are zero even if they share an array with the heap; what `calloc` makes is zero in a loop, too.
#[test]
fn zeros() {
    check(
        "short a[2], *p = a; int main() { unsigned n = __VERIFIER_nondet_uint() % 2; do { p = calloc(2, sizeof *p); } while (n--); int i = __VERIFIER_nondet_uint() % 2, x = a[i], y = p[i]; if (x || y) reach_error(); p = &a[i]; x = *p; if (x) reach_error(); }",
        "SAFE",
    );
}

/// Asks engines about a program in both data models. Nothing may be wrong, and these things must happen.
fn says(engines: &[&str], body: &str, words: &[&str]) {
    let mut checks = Checks { every_reading: true, answer: 1_000_000, ..Checks::default() };
    checks.engines.retain(|e| engines.contains(&e.name()));
    for seed in 0..2 {
        let mut tally = Tally::default();
        let wrong = driver::check(&format!("{HEAD}{body}"), seed, &checks, None, &mut tally);
        assert_eq!(wrong, None, "{body}");
        for word in words {
            assert!(tally.get(word) > 0, "{word}\n{body}\n{tally}");
        }
    }
}

/// Certificates had no words for memory that is kept as bytes.
#[test]
fn invariants_about_bytes() {
    says(
        &["predicate", "slicing"],
        "union u { int i; unsigned u; }; int main() { union u to = {0}, from = {0}; char *p = (char *)&to, *q = (char *)&from; for (unsigned k = 0; k < 1; k++) *p++ = *q++; if (to.i != from.i) reach_error(); }",
        &["predicate Bv: SAFE", "slicing Bv: SAFE"],
    );
}

/// The engine does not see the loop that looks at bytes, the checker does.
#[test]
fn bytes_that_only_the_checker_sees() {
    says(
        &["bmc"],
        "struct s { long long n; }; int g[4]; int main() { if (g[0]) { struct s to = {0}, from = {0}; char *p = (char *)&to, *q = (char *)&from; for (unsigned k = 0; k < 0; k++) p[k] ^= q[k]; if (to.n != from.n) reach_error(); } else memcpy(g, (char *)g + 4, 1); }",
        &[
            "bmc Bv: SAFE",
            "bmc Int: UNKNOWN (unknown memory: integers do not follow memory that is accessed in more than one way)",
        ],
    );
}

/// The certificate spoke of edges and variables of code that nothing leads to.
#[test]
fn code_that_nothing_leads_to() {
    says(
        &["predicate"],
        "int g; void __VERIFIER_assume(int); int main() { __VERIFIER_assume(1 || g); }",
        &["predicate Bv: SAFE", "predicate Int: SAFE"],
    );
}

/// A local array of bytes that is copied into a bit-field was chosen as that bit-field.
#[test]
fn bytes_chosen_as_another_type() {
    says(
        &["bmc"],
        "struct s { int f : 6; } s; int main() { unsigned char b[4]; memcpy(&s, b, 4); int x = s.f; if (x == 17) reach_error(); }",
        &["paths Bv: exact", "bmc Bv: UNSAFE"],
    );
    says(
        &["bmc"],
        "signed char g[3]; int main() { unsigned long long v[2][3]; v[0][2] *= (int)v[0][0]; memcpy(g, (char *)v + 1, 2); if (g[1] == 5) reach_error(); }",
        &["paths Bv: exact", "bmc Bv: UNSAFE"],
    );
}

/// A pointer that is always null was not guessed to be: flat memory let it point anywhere.
#[test]
fn null_in_flat_memory() {
    says(
        &["slicing"],
        "struct s { short n; struct s *next; }; _Bool g[3]; int main() { struct s s = {0}; for (int i = 0; i < 1; i++) (*s.next).n = 1; if (g[1]) reach_error(); }",
        &["slicing Int: SAFE", "flat memory Int: shown"],
    );
}
