//! The checker of certificates against damaged ones.
//!
//! Certificates that predicate abstraction finds for small programs are damaged in every way that is tried: a conjunct dropped, a constant
//! changed, a formula removed. Most damage breaks the proof, and what breaks it must be refused. A certificate is also held against
//! programs that are not safe, close to the one it was made for: there it must always be refused.

use craig_base::Budget;
use craig_cfa::Program;
use craig_cfa::pass::prepare::{Blocks, PrepareOptions, prepare};
use craig_encode::Arith;
use craig_engine::predicate;
use craig_engine::run::{RunOptions, Silent, Stats};
use craig_frontend::Reading;
use craig_frontend::c::load_text;
use craig_logic::{Op, Rat, TermId, Terms};
use craig_verdict::certificate::{Certificate, Invariants, Proof};
use craig_verdict::{Outcome, check};

const HEAD: &str =
    "int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void); void reach_error(void);\n";

/// Safe programs, and for each a piece of its text with another that makes the error reachable.
const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "int main() { int i = 0; while (__VERIFIER_nondet_int()) { if (i == 7) i = 0; else i = i + 1; } if (i > 7) reach_error(); }",
        "i == 7",
        "i == 9",
    ),
    (
        "int main() { int x = 0, y = 0; while (x < 6) { x = x + 1; if (x > 3) y = y + 1; } if (y != 3) reach_error(); }",
        "y = 0",
        "y = 1",
    ),
    (
        "int main() { int lock = 0, a, b = 0; do { if (lock) reach_error(); lock = 1; a = b; if (__VERIFIER_nondet_int()) { lock = 0; b = b + 1; } } while (a != b); if (!lock) reach_error(); }",
        "a = b;",
        "a = b + 1;",
    ),
    (
        "int main() { int n = __VERIFIER_nondet_int(), x = n, y = 0; if (n < 0) return 0; while (x > 0) { x = x - 1; y = y + 1; } if (y != n) reach_error(); }",
        "y = 0",
        "y = 1",
    ),
    (
        "int main() { int s = 0, i = 0; while (i < 10) { s = s + 2; i = i + 1; } if (s != 20) reach_error(); }",
        "i < 10",
        "i < 11",
    ),
    (
        "int state = 1; int main() { int count = 0; while (1) { if (state == 1) { state = 2; count = count + 1; } else if (state == 2) { state = 1; count = count - 1; } else reach_error(); if (count > 1) reach_error(); } }",
        "state = 1; count",
        "state = 1; count = count + 1; count",
    ),
    (
        "int main() { int i = 0, j = 10; while (i < j) { i = i + 1; j = j - 1; } if (i != 5) reach_error(); }",
        "j = 10",
        "j = 11",
    ),
    (
        "int main() { int a = 0, b = 0, i; for (i = 0; i < 5; i = i + 1) { a = a + 1; } for (i = 0; i < 3; i = i + 1) { b = b + 1; } if (a + b != 8) reach_error(); }",
        "i < 3",
        "i < 4",
    ),
    (
        "int next(int v) { return v >= 3 ? 0 : v + 1; } int main() { int v = 0; while (__VERIFIER_nondet_int()) v = next(v); if (v > 3) reach_error(); }",
        "v >= 3",
        "v >= 5",
    ),
    (
        "int main() { unsigned x = 0; while (__VERIFIER_nondet_int()) { x = x + 3; if (x > 9) x = 0; } if (x > 9) reach_error(); }",
        "if (x > 9) x = 0",
        "if (x > 12) x = 0",
    ),
    (
        "int main() { int open = 0, reads = 0; while (__VERIFIER_nondet_int()) { if (!open) { open = 1; reads = 0; } else if (reads < 4) reads = reads + 1; else open = 0; if (reads > 4) reach_error(); if (open < 0) reach_error(); } }",
        "reads < 4",
        "reads < 6",
    ),
    (
        "int main() { int x = 1, y = 0; while (y < 5) { x = x + y; y = y + 1; if (x < 1) reach_error(); } }",
        "x = 1",
        "x = 0",
    ),
    (
        "int flag; void set(int v) { if (v != 0 && v != 1) reach_error(); flag = v; } int main() { int k = 1; while (__VERIFIER_nondet_int()) { set(k); k = 1 - flag; } }",
        "1 - flag",
        "3 - flag",
    ),
    (
        "int main() { int p = 0, q = 0; while (__VERIFIER_nondet_int()) { p = p + 1; q = q + 1; if (p == 6) { p = 0; q = 0; } } if (p != q) reach_error(); }",
        "q = 0; }",
        "q = 1; }",
    ),
];

fn load(body: &str) -> Program {
    load_text("test.c", &format!("{HEAD}{body}"), &Reading::default(), &Budget::unlimited())
        .expect("a program")
        .program
}

fn certificate(program: &Program) -> Certificate {
    let prepared = prepare(program, &PrepareOptions { blocks: Blocks::Single, ..PrepareOptions::default() });
    let options = RunOptions { arith: Arith::Int, signed_wrap: false };
    let own = predicate::Options::default();
    let stats = &mut Stats::default();
    match predicate::run(&prepared, &options, &own, &Budget::unlimited(), &mut Silent, stats) {
        Outcome::Safe(certificate) => certificate,
        other => panic!("the program is safe: {other:?}"),
    }
}

fn accepted(program: &Program, certificate: &Certificate) -> bool {
    check(program, certificate, false, &Budget::unlimited()).is_ok()
}

/// The formulas as terms.
fn terms_of(proof: &Invariants) -> (Terms, Vec<TermId>) {
    let terms = Terms::new();
    let declared: String =
        proof.cells.iter().map(|c| format!("(declare-const |{}| {})", c.symbol, c.sort)).collect();
    let asserted: String = proof.invariants.iter().map(|i| format!("(assert {})", i.formula)).collect();
    let script = terms.read_script(&format!("{declared}{asserted}")).expect("formulas of an engine");
    (terms, script.assertions)
}

/// All formulas that come from one by dropping a conjunct or by changing a constant.
fn damaged(terms: &Terms, formula: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    for target in terms.postorder(&[formula]) {
        let mut replacements = Vec::new();
        let args = terms.args(target);
        match terms.op(target) {
            Op::And if args.len() > 1 => {
                for dropped in 0..args.len() {
                    let rest = args.iter().enumerate().filter(|(i, _)| *i != dropped).map(|(_, a)| *a);
                    replacements.push(terms.and(rest));
                }
            }
            _ => {
                if let Some(number) = terms.number(target) {
                    for by in [-2, -1, 1, 2] {
                        let changed = &number + &Rat::new(by, 1);
                        replacements.push(terms.numeral(&changed, terms.sort(target)));
                    }
                }
            }
        }
        for replacement in replacements {
            found.push(replace(terms, formula, target, replacement));
        }
    }
    found.retain(|f| *f != formula);
    found
}

fn replace(terms: &Terms, formula: TermId, target: TermId, by: TermId) -> TermId {
    terms.substitute(formula, &[(target, by)].into_iter().collect())
}

#[test]
fn damaged_certificates_are_refused() {
    let (mut refused, mut kept) = (0, Vec::new());
    for (body, _, _) in PROGRAMS {
        let program = load(body);
        let whole = certificate(&program);
        assert!(accepted(&program, &whole), "{body}");
        let Proof::Invariants(proof) = &whole.proof else { panic!("predicate abstraction finds invariants") };
        let (terms, formulas) = terms_of(proof);
        let mut mutants: Vec<(String, Invariants)> = Vec::new();
        for (i, &formula) in formulas.iter().enumerate() {
            for other in damaged(&terms, formula) {
                let mut mutant = proof.clone();
                mutant.invariants[i].formula = terms.smt(other);
                mutants.push((terms.smt(other), mutant));
            }
            let mut mutant = proof.clone();
            mutant.invariants.remove(i);
            mutants.push(("removed".into(), mutant));
        }
        for (what, mutant) in mutants {
            let mutant = Certificate { arith: whole.arith, proof: Proof::Invariants(mutant) };
            if accepted(&program, &mutant) {
                kept.push(format!("{body}\n  {what}"));
            } else {
                refused += 1;
            }
        }
    }
    let all = refused + kept.len();
    eprintln!("{refused} of {all} refused; still proofs:\n{}", kept.join("\n"));
    assert!(all >= 200, "{all} certificates");
    assert!(refused >= 150, "{refused} of {all} refused");
}

#[test]
fn no_certificate_makes_an_unsafe_program_safe() {
    for (body, piece, other) in PROGRAMS {
        let whole = certificate(&load(body));
        let unsafe_body = body.replacen(piece, other, 1);
        assert_ne!(&unsafe_body, body);
        assert!(!accepted(&load(&unsafe_body), &whole), "{unsafe_body}");
    }
}
