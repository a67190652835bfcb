//! The proofs of engines, checked again in flat memory; and proofs of one program held against another that is not safe.

mod common;

use common::{BOTH, HEAD, answer, functions_and_calls, loops, memory, state_machines};
use craig_base::Budget;
use craig_engine::Engine;
use craig_frontend::Reading;
use craig_frontend::c::load_text;
use craig_solve::{Arithmetic, Checking, Plan, solve};
use craig_verdict::certificate::Certificate;
use craig_verdict::{Reason, Verdict, flat};
use std::sync::Arc;

fn outcome(body: &str, certificate: &Certificate) -> flat::Outcome {
    let loaded = load_text("test.c", &format!("{HEAD}{body}"), &Reading::default(), &Budget::unlimited());
    flat::check(&loaded.expect("a program").program, certificate, false, &Budget::unlimited())
}

fn engine(name: &str) -> Engine {
    Engine::all().into_iter().find(|engine| engine.name() == name).expect("an engine of this name")
}

/// Units of work for an engine.
const WORK: u64 = 3_000_000;

fn proved(body: &str, name: &str, arithmetic: Arithmetic) -> Option<Certificate> {
    match answer(body, engine(name), arithmetic, &Budget::unlimited().with_work(WORK)).verdict {
        Verdict::Safe(certificate, _) => Some(certificate),
        _ => None,
    }
}

/// What engines prove of small programs holds in flat memory.
#[test]
fn proofs_of_engines() {
    let cases = [loops(), functions_and_calls(), memory(), state_machines()].concat();
    let mut shown = 0;
    for case in cases.iter().filter(|case| case.expected == "SAFE") {
        for arithmetic in BOTH.into_iter().filter(|a| *a == Arithmetic::Int || case.bits) {
            for name in ["predicate", "impact"] {
                let Some(certificate) = proved(&case.body, name, arithmetic) else { continue };
                let found = outcome(&case.body, &certificate);
                // Impact finds formulas about order and bits of addresses.
                let untold = flat::Outcome::NotTranslatable(flat::NotTranslatable::AddressNumbers);
                if name == "impact" && found == untold {
                    continue;
                }
                assert_eq!(found.key(), "shown", "{name} {arithmetic:?}: {found:?}: {}", case.body);
                shown += 1;
            }
        }
    }
    assert!(shown > 25, "{shown}");
}

/// Safe programs with memory, and for each a piece of its text with another that makes the error reachable.
const PAIRS: &[(&str, &str, &str)] = &[
    (
        "int x; int *p = &x; int main() { while (__VERIFIER_nondet_int()) { if (*p < 5) *p = *p + 1; } if (x > 5) reach_error(); }",
        "*p < 5",
        "*p < 6",
    ),
    (
        "int a[4]; int main() { int i = 0; while (__VERIFIER_nondet_int()) { a[i] = 2; i = i < 2 ? i + 1 : 0; } if (a[3] != 0) reach_error(); }",
        "i < 2",
        "i < 3",
    ),
    (
        "struct s { char c[4]; int v; }; int main() { struct s s; unsigned i = 0; s.v = 1; while (i < 4) { s.c[i] = 7; i++; } if (s.v != 1) reach_error(); }",
        "i < 4",
        "i < 5",
    ),
    (
        "struct s { int n; int m; }; int main() { struct s *p = malloc(sizeof *p); p->n = 0; while (__VERIFIER_nondet_int()) { p->m = 9; if (p->n < 3) p->n++; } if (p->n > 3) reach_error(); }",
        "p->n < 3",
        "p->n < 4",
    ),
    (
        "void add(int *p, int n) { *p = *p + n; } int main() { int x = 0, i; for (i = 0; i < 6; i++) add(&x, 2); if (x != 12) reach_error(); }",
        "add(&x, 2)",
        "add(&x, 3)",
    ),
    (
        "union { int i; unsigned char c[4]; } u; int main() { while (__VERIFIER_nondet_int()) { u.i = 5; } if (u.i > 5) reach_error(); }",
        "u.i = 5;",
        "u.c[1] = 5;",
    ),
];

#[test]
fn a_proof_proves_no_other_program() {
    let mut proofs = 0;
    for (body, piece, other) in PAIRS {
        let unsafe_twin = body.replace(piece, other);
        assert_ne!(&unsafe_twin, body);
        for arithmetic in BOTH {
            for name in ["predicate", "bmc"] {
                let Some(certificate) = proved(body, name, arithmetic) else { continue };
                proofs += 1;
                let found = outcome(body, &certificate);
                assert_eq!(found.key(), "shown", "{name} {arithmetic:?}: {found:?}: {body}");
                let found = outcome(&unsafe_twin, &certificate);
                assert_ne!(found.key(), "shown", "{name} {arithmetic:?}: {unsafe_twin}");
            }
        }
    }
    assert!(proofs > PAIRS.len(), "{proofs}");
}

/// `--check flat`: the outcome stands beside the verdict.
#[test]
fn the_answer_tells_of_it() {
    let solved = |body: &str, checking| {
        let text = format!("{HEAD}{body}");
        let loaded =
            load_text("test.c", &text, &Reading::default(), &Budget::unlimited()).expect("a program");
        let plan = Plan { checking, ..Plan::default() };
        let source = Arc::new(loaded.program);
        solve(source, Reading::default(), &plan, &Budget::unlimited(), &mut craig_engine::Silent).verdict
    };
    let body = PAIRS[0].0;
    let Verdict::Safe(_, checked) = solved(body, Checking::Flat) else { panic!("it is safe") };
    assert!(matches!(checked.flat.as_deref(), Some(flat::Outcome::Shown { .. })), "{checked:?}");
    let Verdict::Safe(_, checked) = solved(body, Checking::Cells) else { panic!("it is safe") };
    assert_eq!(checked.flat, None);
    // An engine that fixes where objects lie finds this safe; nobody knows which of them lies first.
    let order = "int main() { int x, y; int *p = &x, *q = &y; if (p < q) { if (!(p < q)) reach_error(); } else if (q < p) {} else reach_error(); }";
    assert!(matches!(solved(order, Checking::Flat), Verdict::Safe(..)));
    let [above, below] = ["p < q", "q < p"].map(|order| {
        solved(
            &format!("int main() {{ int x, y; int *p = &x, *q = &y; if ({order}) reach_error(); }}"),
            Checking::Flat,
        )
    });
    for verdict in [above, below] {
        let known = matches!(verdict, Verdict::Unknown(Reason::FlatMemory { .. }) | Verdict::Unsafe(..));
        assert!(known, "{verdict:?}");
    }
}
