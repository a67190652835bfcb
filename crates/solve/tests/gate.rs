//! The last gate as `auto` meets it: programs that reach their error are never called safe, whatever the encoding believes.

mod common;

use craig_base::Budget;
use craig_engine::{Selection, Silent};
use craig_frontend::c::load_text;
use craig_report::text;
use craig_solve::{Answer, Plan, Reading, solve};
use craig_verdict::{Reason, Verdict};
use std::sync::Arc;

fn answer(body: &str) -> Answer {
    let (budget, reading) = (Budget::unlimited(), Reading::default());
    let loaded = load_text("test.c", &format!("{}{body}", common::HEAD), &reading, &budget);
    let plan = Plan { selection: Selection::default(), ..Plan::default() };
    solve(Arc::new(loaded.expect("a program").program), reading, &plan, &budget, &mut Silent)
}

/// Each reaches its error. Members are changed through pointers to bytes, to arrays beside them, to the whole.
const REACHING: &[&str] = &[
    "struct S { char tag[4]; int v; } s, t; int main() { s.v = 5; char *a = (char *)&s, *b = (char *)&t; \
     for (unsigned i = 0; i < sizeof s; i++) b[i] = a[i]; if (t.v == 5) reach_error(); }",
    "struct S { char tag[4]; int v; } s; int main() { s.v = 7; unsigned char *p = (unsigned char *)&s; \
     for (unsigned i = 0; i < sizeof s; i++) p[i] = 0; if (s.v == 0) reach_error(); }",
    "struct S { char tag[4]; int v; } s; int main() { s.v = 0; char *p = s.tag; for (int i = 0; i < 8; i++) *p++ = 1; \
     if (s.v != 0) reach_error(); }",
    "struct S { int a, b, c; } s; int main() { int *p = (int *)&s; for (int i = 0; i < 3; i++) p[i] = i; if (s.c == 2) reach_error(); }",
    "int a[2][2]; int main() { int *p = a[0]; for (int i = 0; i < 4; i++) p[i] = i; if (a[1][1] == 3) reach_error(); }",
];

#[test]
fn a_program_that_reaches_its_error_is_not_safe() {
    for body in REACHING {
        let answer = answer(body);
        match &answer.verdict {
            Verdict::Unsafe(..) => {}
            Verdict::Unknown(Reason::Contradiction(found)) => {
                assert!(text::evidence(&answer, false).contains("a bug of craig"), "{body}");
                assert!(answer.attempts.iter().any(|a| a.reason.is_some()), "{found:?}");
            }
            Verdict::Unknown(_) => {}
            Verdict::Safe(..) => panic!("{body}"),
        }
    }
}

/// Right proofs are not held up, and what the runs came by is counted.
#[test]
fn a_safe_program_is_safe() {
    let body =
        "int main() { int i = 0; while (__VERIFIER_nondet_int()) if (i < 5) i++; if (i > 5) reach_error(); }";
    let first = answer(body);
    assert!(matches!(first.verdict, Verdict::Safe(..)), "{:?}", first.verdict);
    let counted = |answer: &Answer| {
        ["gate_runs", "gate_steps", "gate_formulas", "gate_skipped"]
            .map(|name| answer.decisive().and_then(|a| a.stats.get(name)))
    };
    assert!(counted(&first)[0] > Some(9.0) && counted(&first)[2] > Some(50.0), "{:?}", counted(&first));
    assert_eq!(counted(&answer(body)), counted(&first), "the same runs");
}
