//! Programs whose proof needs contracts of recursive procedures and invariants of loops: engines that know no calls get the one from runs and find the other. Each has a twin that reaches
//! the error.

mod common;

use common::HEAD;
use craig_base::Budget;
use craig_cfa::Program;
use craig_engine::{Engine, Selection, Silent};
use craig_frontend::Reading;
use craig_frontend::c::load_text;
use craig_report::text;
use craig_solve::{Answer, Arithmetic, Plan, solve};
use craig_verdict::certificate::{Certificate, Invariant, Moment, Procedures, Proof, Relations, Summary};
use craig_verdict::{Verdict, check, prove};
use std::sync::Arc;

/// A safe program, and a piece of its text with another that makes the error reachable.
type Pair = (&'static str, &'static str, &'static str);

/// A loop, or recursion, or both have no bound: proofs need both kinds of formulas.
const PAIRS: &[Pair] = &[
    // A loop that adds up what a recursive procedure gives.
    (
        "int sum(int n, int m) { return n <= 0 ? m : sum(n - 1, m + 1); } \
         int main() { int rounds = __VERIFIER_nondet_int(), step = __VERIFIER_nondet_int(), total = 0, i = 0; \
         if (step < 1 || step > 1000) return 0; while (i < rounds) { total = sum(step, total); i++; } \
         if (total < i) reach_error(); }",
        "total < i",
        "i > 0 && total == i",
    ),
    // A loop in the body of the recursive procedure.
    (
        "int cleared; void clear(int rows) { int column = 0; if (rows <= 0) return; \
         while (column < 8) { column++; cleared++; } clear(rows - 1); } \
         int main() { int rows = __VERIFIER_nondet_int(); if (rows < 0 || rows > 100000) return 0; clear(rows); \
         if (cleared < rows) reach_error(); }",
        "cleared < rows",
        "rows == 0",
    ),
    // Mutual recursion that keeps two globals in balance.
    (
        "int given, taken; void take(int n); void give(int n) { given++; if (n > 0) take(n - 1); else taken++; } \
         void take(int n) { taken++; if (n > 0) give(n - 1); } \
         int main() { while (__VERIFIER_nondet_int()) { give(__VERIFIER_nondet_int()); if (given < taken) reach_error(); } }",
        "else taken++",
        "else taken += n < 0 ? 2 : 1",
    ),
    // McCarthy's function in a loop.
    (
        "int f(int x) { return x > 100 ? x - 10 : f(f(x + 11)); } \
         int main() { int x = __VERIFIER_nondet_int(); x = f(x); while (__VERIFIER_nondet_int()) x = f(x); if (x < 91) reach_error(); }",
        "x < 91",
        "x == 91",
    ),
    // The error is inside; what the procedure needs keeps runs from it.
    (
        "void fill(int used, int limit) { if (used > limit) reach_error(); if (used < limit) fill(used + 1, limit); } \
         int main() { int limit = __VERIFIER_nondet_int(), used = 0; \
         while (used < limit) { fill(used, limit); used++; } }",
        "used < limit) { fill(used,",
        "used <= limit) { fill(used + 1,",
    ),
];

/// The same with loops that end soon: bounded model checking unrolls them, the recursion is bounded by nothing.
const SHORT: &[Pair] = &[
    (
        "int sum(int n, int m) { return n <= 0 ? m : sum(n - 1, m + 1); } \
         int main() { int step = __VERIFIER_nondet_int(), total = 0, i = 0; \
         if (step < 1 || step > 1000) return 0; while (i < 3) { total = sum(step, total); i++; } \
         if (total < i) reach_error(); }",
        "total < i",
        "total == i",
    ),
    (
        "int cleared; void clear(int rows) { int column = 0; if (rows <= 0) return; \
         while (column < 3) { column++; cleared++; } clear(rows - 1); } \
         int main() { int rows = __VERIFIER_nondet_int(); if (rows < 0) return 0; clear(rows); if (cleared < rows) reach_error(); }",
        "cleared < rows",
        "rows == 0",
    ),
    (
        "int given, taken; void take(int n); void give(int n) { given++; if (n > 0) take(n - 1); else taken++; } \
         void take(int n) { taken++; if (n > 0) give(n - 1); } \
         int main() { int i = 0; while (i < 3) { give(__VERIFIER_nondet_int()); if (given < taken) reach_error(); i++; } }",
        "else taken++",
        "else taken += n < 0 ? 2 : 1",
    ),
    (
        "int f(int x) { return x > 100 ? x - 10 : f(f(x + 11)); } \
         int main() { int x = __VERIFIER_nondet_int(), i = 0; if (x > 100) return 0; \
         while (i < 3) { x = f(x); i++; } if (x < 91) reach_error(); }",
        "x < 91",
        "x == 91",
    ),
    (
        "void fill(int used, int limit) { if (used > limit) reach_error(); if (used < limit) fill(used + 1, limit); } \
         int main() { int limit = __VERIFIER_nondet_int(), used = 0; if (limit > 3) return 0; \
         while (used < limit) { fill(used, limit); used++; } }",
        "used < limit) { fill(used,",
        "used <= limit) { fill(used + 1,",
    ),
];

/// Work for a program: some seconds.
const WORK: u64 = 60_000_000;

fn load(body: &str) -> Arc<Program> {
    let text = format!("{HEAD}{body}");
    let loaded = load_text("test.c", &text, &Reading::default(), &Budget::unlimited());
    Arc::new(loaded.expect("a program").program)
}

fn with(body: &str, engine: &str, arithmetic: Arithmetic) -> Answer {
    let only = Engine::all().into_iter().find(|e| e.name() == engine);
    let plan = Plan { selection: Selection { only, ..Selection::default() }, arithmetic, ..Plan::default() };
    solve(load(body), Reading::default(), &plan, &Budget::unlimited().with_work(WORK), &mut Silent)
}

fn refused(program: &Program, certificate: &Certificate) -> bool {
    check(program, certificate, false, &Budget::unlimited()).is_err()
}

fn decides(engine: &str, pairs: &[Pair]) {
    for (body, piece, other) in pairs {
        let found = with(body, engine, Arithmetic::Int);
        assert_eq!(text::verdict(&found), "SAFE", "{engine}: {body}");
        let Verdict::Safe(certificate, _) = found.verdict else { unreachable!("it is") };
        assert!(matches!(certificate.proof, Proof::Relations(_)), "{engine}: {body}");
        let twin = body.replacen(piece, other, 1);
        assert_ne!(twin, **body);
        assert_eq!(text::verdict(&with(&twin, engine, Arithmetic::Int)), "UNSAFE", "{engine}: {twin}");
        assert!(refused(&load(&twin), &certificate), "{engine}: {twin}");
    }
}

#[test]
fn predicate_finds_invariants_beside_contracts() {
    decides("predicate", PAIRS);
}

#[test]
fn ic3_finds_invariants_beside_contracts() {
    decides("ic3", PAIRS);
}

#[test]
fn slicing_finds_invariants_beside_contracts() {
    decides("slicing", PAIRS);
}

#[test]
fn impact_finds_invariants_beside_contracts() {
    decides("impact", PAIRS);
}

#[test]
fn interp_finds_invariants_beside_contracts() {
    decides("interp", PAIRS);
}

#[test]
fn bmc_unrolls_loops_beside_contracts() {
    decides("bmc", SHORT);
}

/// Pointers do no harm where recursion has nothing to do with them. What runs show is of procedures one by one, which know no memory: there are no contracts, but the frame is left.
#[test]
fn memory_beside_recursion() {
    let body = "int count(int n) { return n <= 0 ? 0 : count(n - 1) + 1; } \
         int main() { int *p = malloc(sizeof(int)); *p = 0; \
         while (__VERIFIER_nondet_int()) if (count(__VERIFIER_nondet_int()) > 3) *p = *p + 1; if (*p < 0) reach_error(); }";
    assert_eq!(text::verdict(&with(body, "predicate", Arithmetic::Int)), "SAFE");
    let twin =
        body.replace("count(__VERIFIER_nondet_int()) > 3", "count(0) == 0").replace("*p < 0", "*p == 1");
    assert_eq!(text::verdict(&with(&twin, "predicate", Arithmetic::Int)), "UNSAFE");
}

/// A proof with relations of the first program.
fn proof() -> (Arc<Program>, Arc<Program>, Certificate, Relations) {
    let (body, piece, other) = PAIRS[0];
    let Verdict::Safe(whole, _) = with(body, "predicate", Arithmetic::Int).verdict else {
        panic!("it is safe")
    };
    let Proof::Relations(proof) = whole.proof.clone() else { panic!("with relations") };
    (load(body), load(&body.replacen(piece, other, 1)), whole, proof)
}

/// Contracts are shown, not believed.
#[test]
fn contracts_that_do_not_hold_are_refused() {
    let (program, twin, whole, proof) = proof();
    let budget = Budget::unlimited();
    assert!(prove(&program, &whole, false, &budget).is_ok());
    let changed = |change: &dyn Fn(&mut Procedures)| {
        let mut proof = proof.clone();
        change(&mut proof.contracts);
        Certificate { proof: Proof::Relations(proof), ..whole.clone() }
    };
    let needs = |formula: &str| changed(&|c| c.invariants[0].formula = formula.into());
    let does = |formula: &str| changed(&|c| c.summaries[0].formula = formula.into());
    for formula in ["false", "(= 1 2)"] {
        assert!(refused(&program, &needs(formula)), "nobody may call it: {formula}");
        assert!(refused(&program, &does(formula)), "it returns: {formula}");
        assert!(refused(&twin, &needs(formula)) && refused(&twin, &does(formula)));
    }
    // Weaker than what the rest leans on.
    assert!(refused(&program, &does("true")));
    assert!(refused(&program, &changed(&|c| c.summaries.clear())));
    // Of no recursive procedure, of no entry, of what a contract may not speak of.
    let main = program.entry.raw();
    let summary = Summary { procedure: main, line: 0, formula: "true".into() };
    assert!(refused(&program, &changed(&|c| c.summaries.push(summary.clone()))));
    let inside =
        Invariant { location: program.error.raw(), calls: Vec::new(), line: 0, formula: "true".into() };
    assert!(refused(&program, &changed(&|c| c.invariants.push(inside.clone()))));
    let later = changed(&|c| {
        c.symbols.iter_mut().for_each(|s| {
            if s.moment == Moment::Entry {
                s.moment = Moment::Now;
            }
        })
    });
    assert!(refused(&program, &later), "parameters have changed where a procedure returns");
    let beyond = changed(&|c| {
        c.symbols.iter_mut().for_each(|s| {
            s.variable = s.variable.map(|_| program.vars.next_idx());
        })
    });
    assert!(refused(&program, &beyond), "the program has no such variable");
}

/// A contract may speak of globals that the procedure has nothing to do with; nothing is known of these there.
#[test]
fn contracts_about_other_globals() {
    // That `f` returns `g` holds while `g` is zero, as it is where an activation would begin if nobody changed it.
    let body = "int g; int f(int n) { return n <= 0 ? 0 : f(n - 1); } \
         int main() { g = 5; if (f(__VERIFIER_nondet_int()) == 0) reach_error(); }";
    let program = load(body);
    let f = program.proc_by_name("f").expect("it is there");
    let g = program.vars.iter_enumerated().find(|(_, var)| &*var.name == "g").map(|(id, _)| id).expect("too");
    let symbols = vec![
        craig_verdict::certificate::Symbol::now(&program, craig_encode::Arith::Int, "g", g, 0)
            .expect("a number"),
        craig_verdict::certificate::Symbol::result(
            &program,
            craig_encode::Arith::Int,
            "r",
            program.procs[f].ret,
            0,
        )
        .expect("a number"),
    ];
    for formula in ["(= r g)", "(= g 0)", "(not (= r 0))"] {
        let contracts = Procedures {
            symbols: symbols.clone(),
            invariants: Vec::new(),
            summaries: vec![Summary::new(&program, f, formula.into())],
        };
        let proof = Proof::Relations(Relations { contracts, by: Box::new(Proof::Unwinding) });
        assert!(refused(&program, &Certificate::new(craig_encode::Arith::Int, proof)), "{formula}");
    }
}

/// In bit-vectors contracts mean the same: they are about numbers that do not wrap around.
#[test]
fn contracts_in_bit_vectors() {
    let found = with(PAIRS[3].0, "predicate", Arithmetic::Bv);
    let Verdict::Safe(certificate, _) = found.verdict else { panic!("{:?}", found.verdict) };
    assert!(matches!(certificate.proof, Proof::Relations(_)));
}
