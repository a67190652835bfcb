//! The checker of certificates against damaged ones.
//!
//! Certificates that predicate abstraction finds for small programs are damaged in every way that is tried: a conjunct dropped, a constant
//! changed, a formula removed. Most damage breaks the proof, and what breaks it must be refused: of every damaged certificate that is accepted
//! it is shown in another way that it is a proof all the same, with the formulas that engines make of the blocks between loop heads. A
//! certificate is also held against programs that are not safe, close to the one it was made for: there it must always be refused.

mod common;

use common::HEAD;
use craig_base::Budget;
use craig_cfa::pass::{PrepareOptions, Site};
use craig_cfa::{Blocks, EdgeId, LocId, Program};
use craig_encode::Arith;
use craig_engine::workbench::Workbench;
use craig_engine::{Control, Engine, Silent, Task, predicate};
use craig_frontend::Reading;
use craig_frontend::c::load_text;
use craig_logic::{Op, Rat, TermId, Terms};
use craig_verdict::certificate::{Certificate, Invariants, Proof};
use craig_verdict::{Outcome, check};
use std::collections::BTreeMap;
use std::sync::Arc;

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

fn load(body: &str) -> Arc<Program> {
    let text = format!("{HEAD}{body}");
    let loaded = load_text("test.c", &text, &Reading::default(), &Budget::unlimited());
    Arc::new(loaded.expect("a program").program)
}

fn task(body: &str) -> Task {
    let options = PrepareOptions::default();
    Task::new(load(body), false, &options, &Budget::unlimited()).expect("no limit")
}

fn certificate(task: &Task) -> Certificate {
    let budget = Budget::unlimited();
    let engine = Engine::Predicate(predicate::Options::default());
    match engine.run(task, Arith::Int, &mut Control::new(&budget, &mut Silent)) {
        Outcome::Safe(certificate) => certificate,
        other => panic!("the program is safe: {other:?}"),
    }
}

fn accepted(program: &Program, certificate: &Certificate) -> bool {
    check(program, certificate, false, &Budget::unlimited()).is_ok()
}

/// Whether every block between loop heads preserves the formulas, asked with the terms of engines.
fn is_inductive(task: &Task, proof: &Invariants) -> bool {
    let mut bench =
        Workbench::new(task, Arith::Int, Blocks::default(), &Budget::unlimited()).expect("no limit");
    let (terms, program) = (bench.terms.clone(), task.program());
    let names: Vec<(String, TermId)> = proof
        .symbols
        .iter()
        .map(|b| (b.symbol.clone(), terms.find_symbol(&b.symbol).expect("known")))
        .collect();
    let read = |text: &str| {
        terms.read_term_with(text, names.iter().map(|(n, t)| (n.as_str(), *t))).expect("a formula")
    };
    let mut formulas: BTreeMap<Site<LocId>, TermId> = BTreeMap::new();
    for invariant in &proof.invariants {
        let calls = invariant.calls.iter().map(|&e| EdgeId::from_raw(e)).collect();
        let site = Site { origin: LocId::from_raw(invariant.location), calls };
        let all = proof.common.iter().chain([&invariant.formula]).map(|text| read(text));
        formulas.insert(site, terms.and(all));
    }
    let at = |loc: LocId| match formulas.get(&Site::of_loc(program, loc)) {
        Some(formula) if loc != program.error => *formula,
        _ => terms.fls(),
    };
    // Machine integers lie in their types.
    let mut ranges = craig_encode::Part::new();
    let state = bench.encoder.symbols(None);
    for (cell, symbol) in state.cells.iter_enumerated() {
        if let Some(range) = bench.encoder.cell_range(cell) {
            ranges.bound(&terms, *symbol, range.low, range.high);
        }
    }
    let blocks: Vec<_> = bench.graph.blocks().indices().collect();
    blocks.into_iter().all(|block| {
        let formula = bench.formula(block).expect("no calls");
        let (from, to) = (bench.graph.block(block).from, bench.graph.block(block).to);
        let before = if from == bench.entry() { terms.tru() } else { at(from) };
        let mut session = bench.smt.session();
        formula.constraints.iter().chain(&ranges.constraints).for_each(|c| session.assert(*c));
        session.assert(before);
        session.assert(terms.not(formula.before(&terms, &bench.slots, at(to))));
        session.check().is_unsat()
    })
}

/// The formulas as terms.
fn terms_of(proof: &Invariants) -> (Terms, Vec<TermId>) {
    let terms = Terms::new();
    let declared: String =
        proof.symbols.iter().map(|c| format!("(declare-const |{}| {})", c.symbol, c.sort)).collect();
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
    let (mut refused, mut kept) = (0, 0);
    for (body, _, _) in PROGRAMS {
        let task = task(body);
        let whole = certificate(&task);
        assert!(accepted(&task.source, &whole), "{body}");
        let Proof::Invariants(proof) = &whole.proof else { panic!("predicate abstraction finds invariants") };
        assert!(is_inductive(&task, proof), "{body}");
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
            let certificate = Certificate::new(whole.arith, Proof::Invariants(mutant.clone()));
            if accepted(&task.source, &certificate) {
                assert!(is_inductive(&task, &mutant), "accepted and no proof:\n{body}\n{what}");
                kept += 1;
            } else {
                refused += 1;
            }
        }
    }
    // Damage that breaks nothing would test nothing.
    assert!(refused > 150 && kept < refused / 4, "{refused} refused, {kept} still proofs");
}

#[test]
fn no_certificate_makes_an_unsafe_program_safe() {
    for (body, piece, other) in PROGRAMS {
        let whole = certificate(&task(body));
        let unsafe_body = body.replacen(piece, other, 1);
        assert_ne!(&unsafe_body, body);
        assert!(!accepted(&load(&unsafe_body), &whole), "{unsafe_body}");
    }
}
