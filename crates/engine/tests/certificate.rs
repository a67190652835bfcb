//! The way back from the prepared program: certificates of programs in which passes found constants, dropped loops and cut edges.
//!
//! What passes claim is checked like everything else: where a claim is needed, the certificate without it is refused.

mod common;

use common::{c, task};
use craig_base::Budget;
use craig_cfa::Program;
use craig_cfa::pass::PrepareOptions;
use craig_encode::Arith;
use craig_engine::{Control, Engine, Silent, Task, predicate};
use craig_report::{invariant, reason};
use craig_verdict::certificate::{Certificate, Invariants, Proof};
use craig_verdict::{Outcome, check};
use insta::assert_snapshot;
use std::fmt::Write;

fn certificate(task: &Task) -> Invariants {
    let budget = Budget::unlimited();
    let engine = Engine::Predicate(predicate::Options::default());
    match engine.run(task, Arith::Int, &mut Control::new(&budget, &mut Silent)) {
        Outcome::Safe(Certificate { proof: Proof::Invariants(proof), .. }) => proof,
        other => panic!("the program is safe: {other:?}"),
    }
}

/// What the checker says.
fn checked(source: &Program, proof: Invariants) -> String {
    let certificate = Certificate::new(Arith::Int, Proof::Invariants(proof));
    match check(source, &certificate, false, &Budget::unlimited()) {
        Ok(_) => "accepted".into(),
        Err(why) => reason::words(&why),
    }
}

/// The lines of the call edges that lead somewhere.
fn under(source: &Program, calls: &[u32]) -> String {
    let line = |e: &u32| source.source.line(source.edges[*e as usize].span).to_string();
    if calls.is_empty() {
        return String::new();
    }
    format!(", called from {}", calls.iter().map(line).collect::<Vec<_>>().join(", "))
}

/// The claims of the certificate, and what the checker says of it with all its claims and without each kind.
fn claims(body: &str) -> String {
    let task = task(c(body), &PrepareOptions::default());
    let (source, proof) = (&task.source, certificate(&task));
    let mut text = String::new();
    for (line, at) in invariant::lines(&proof).iter().zip(&proof.invariants) {
        let _ = writeln!(text, "line {}{}: {}", at.line, under(source, &at.calls), line.formula);
    }
    for line in &invariant::lines(&proof)[proof.invariants.len()..] {
        let _ = writeln!(text, "common: {}", line.formula);
    }
    for never in &proof.never {
        let line = source.source.line(source.edges[never.edge as usize].span);
        let _ = writeln!(text, "never: line {line}{}", under(source, &never.calls));
    }
    let _ = writeln!(text, "{}", checked(source, proof.clone()));
    let mut without = |what: &str, damaged: Invariants| {
        if damaged != proof {
            let _ = writeln!(text, "without {what}: {}", checked(source, damaged));
        }
    };
    without("common", Invariants { common: Vec::new(), ..proof.clone() });
    without("never", Invariants { never: Vec::new(), ..proof.clone() });
    without("either", Invariants { common: Vec::new(), never: Vec::new(), ..proof.clone() });
    let trivial = |formula: &str| formula == "true";
    let told = proof.invariants.iter().filter(|i| !trivial(&i.formula)).cloned().collect();
    without("what is true", Invariants { invariants: told, ..proof.clone() });
    text
}

#[test]
fn a_loop_needs_its_invariant_only() {
    assert_snapshot!(claims("int main() {\n int i = 0;\n while (__VERIFIER_nondet_int())\n  if (i < 5) i++;\n if (i > 5) reach_error(); }"), @r"
    line 4, called from 2: i <= 5
    accepted
    ");
}

/// A global that nobody writes is zero, and what it guards is dead; behind the other loop that has to be said.
#[test]
fn a_constant_global_guards_a_loop() {
    assert_snapshot!(claims("int debug;\nint main() {\n int i = 0;\n while (__VERIFIER_nondet_int())\n  if (i < 5) i++;\n \
        if (debug) {\n  while (i < 100) i++;\n  if (i > 5) reach_error();\n }\n if (i > 5) reach_error(); }"), @r"
    line 5, called from 3: i <= 5
    common: debug == 0
    never: line 7, called from 3
    accepted
    without common: certificate: the formula of the error does not follow from that of line 5
    without never: accepted
    without either: certificate: the formula of line 8 does not follow from that of line 5
    ");
}

/// The global is read in the loop: its value is part of why the invariant holds.
#[test]
fn a_constant_global_is_read_in_a_loop() {
    assert_snapshot!(claims("int step = 2;\nint main() {\n int i = 0;\n while (__VERIFIER_nondet_int())\n  if (i < 6) i += step;\n \
        if (i > 7) reach_error(); }"), @r"
    line 5, called from 3: i <= 7
    common: step == 2
    accepted
    without common: certificate: the formula of line 5 does not follow from that of line 5
    without either: certificate: the formula of line 5 does not follow from that of line 5
    ");
}

/// A loop on the way to nothing: whatever it does, no error is behind it.
#[test]
fn a_loop_that_cannot_reach_the_error() {
    assert_snapshot!(claims("int main() {\n int i = 0, k = 0;\n while (__VERIFIER_nondet_int())\n  if (i < 5) i++;\n \
        if (i > 5) reach_error();\n while (k < 100)\n  k++;\n return 0; }"), @r"
    line 4, called from 2: i <= 5
    line 7, called from 2: true
    accepted
    without what is true: accepted
    ");
}

/// On the straight way from the start the checker sees the value of a constant itself: no claim is needed.
#[test]
fn a_loop_behind_a_condition_of_constants() {
    assert_snapshot!(claims("int mode = 1;\nint main() {\n int k = 0;\n if (mode == 3) {\n  while (__VERIFIER_nondet_int())\n   k++;\n  \
        reach_error();\n }\n while (__VERIFIER_nondet_int())\n  if (k > -5) k--;\n if (k > 0) reach_error(); }"), @r"
    line 10, called from 3: k <= 0
    never: line 5, called from 3
    accepted
    without never: accepted
    without either: accepted
    ");
}

/// The same location under different strings of calls has a formula for each.
#[test]
fn nested_calls() {
    assert_snapshot!(claims("int limit = 3;\nint up(int i) {\n while (__VERIFIER_nondet_int())\n  if (i < limit) i++;\n return i; }\n\
        int twice(int i) {\n return up(up(i)); }\n\
        int main() {\n if (twice(0) > 3) reach_error();\n if (twice(2) > 4) reach_error(); }"), @r"
    line 4, called from 9, 10, 8: i@2 <= 3
    line 4, called from 9, 10, 8: i <= 3
    line 4, called from 9, 11, 8: i@3 == 2 || i@3 == 3
    line 4, called from 9, 11, 8: i@4 == 2 || i@4 == 3
    common: limit == 3
    never: line 11, called from 9
    accepted
    without common: certificate: the formula of line 4 does not follow from that of line 4
    without never: accepted
    without either: certificate: the formula of line 4 does not follow from that of line 4
    ");
}

/// A body that is run once has an edge back that is never taken: without the claim it would be a loop that needs a formula.
#[test]
fn a_loop_that_is_none() {
    assert_snapshot!(claims("int again;\nint main() {\n int i = 0;\n do {\n  i++;\n } while (0);\n \
        do {\n  i++;\n } while (again);\n if (i != 2) reach_error(); }"), @r"
    never: line 10, called from 3
    never: line 11, called from 3
    accepted
    without never: certificate: the formula of line 8 does not follow from that of the start
    without either: certificate: the formula of line 8 does not follow from that of the start
    ");
}

/// The same in a function: the claim is about each string of calls.
#[test]
fn a_loop_that_is_none_in_a_function() {
    assert_snapshot!(claims("int again;\nint up(int i) {\n do {\n  i++;\n } while (again);\n return i; }\n\
        int main() {\n int n = 0;\n while (__VERIFIER_nondet_int())\n  if (n < 3) n = up(n);\n if (up(n) > 4) reach_error(); }"), @r"
    line 10, called from 8: n <= 3
    common: again == 0
    never: line 6, called from 8, 11
    never: line 6, called from 8, 12
    accepted
    without common: certificate: the formula of the error does not follow from that of line 10
    without never: certificate: the formula of line 4 does not follow from that of line 10
    without either: certificate: the formula of line 4 does not follow from that of line 10
    ");
}

/// A constant decides in every call that a loop is not entered.
#[test]
fn a_dead_loop_in_a_function() {
    assert_snapshot!(claims("int quiet = 1;\nint run(int on) {\n int i = 0;\n if (!quiet) while (1) i--;\n \
        while (i < 4) i++;\n return on ? i : 4; }\n\
        int main() {\n if (run(1) != 4) reach_error();\n if (run(0) != 4) reach_error(); }"), @r"
    line 6, called from 8, 9: i <= 4 && quiet == 1 && on == 1
    line 6, called from 8, 10: on@2 == 0
    never: line 10, called from 8
    never: line 5, called from 8, 10
    never: line 5, called from 8, 9
    accepted
    without never: accepted
    without either: accepted
    ");
}

/// The value of a constant that is not zero and is read with a sign, and of one that is not.
#[test]
fn constants_of_other_types() {
    assert_snapshot!(claims("signed char low = -2;\nunsigned char high = 254;\nint main() {\n int i = 0;\n \
        while (__VERIFIER_nondet_int()) {\n  if (i < 6) i -= low;\n  if (high < 200) reach_error();\n }\n \
        if (i > 7) reach_error(); }"), @r"
    line 6, called from 4: i <= 7
    common: low == -2
    common: high == 254
    never: line 8, called from 4
    accepted
    without common: certificate: the formula of line 6 does not follow from that of line 6
    without never: accepted
    without either: certificate: the formula of line 6 does not follow from that of line 6
    ");
}

/// A variable that is written again has its values where it has them: each loop is told which.
#[test]
fn a_value_that_changes_between_loops() {
    assert_snapshot!(claims("int step;\nint main() {\n int i = 0;\n step = 1;\n int *p = malloc(4);\n step = 2;\n \
        while (__VERIFIER_nondet_int())\n  if (i < 6) i += step;\n if (i > 7) reach_error();\n step = 3;\n \
        while (i < 100)\n  i += step;\n if (i > 102) reach_error();\n if (step != 3) reach_error(); }"), @r"
    line 8, called from 3: i <= 7 && step == 2
    line 12, called from 3: i <= 102 && step == 3
    never: line 15, called from 3
    accepted
    without never: accepted
    without either: accepted
    ");
}

/// Few values, none of which is the one that is asked for.
#[test]
fn a_variable_of_few_values() {
    assert_snapshot!(claims("int main() {\n int state = 1, n = 0;\n \
        while (__VERIFIER_nondet_int()) {\n  if (state == 1) state = 4;\n  else if (state == 4) state = 7;\n  else if (state == 5) reach_error();\n  else state = 1;\n  n++;\n }\n \
        if (state == 2) reach_error();\n return n; }"), @r"
    line 4, called from 2: true
    common: state == 1 || state == 4 || state == 7
    never: line 11, called from 2
    never: line 7, called from 2
    accepted
    without common: certificate: the formula of the error does not follow from that of line 4
    without never: accepted
    without either: certificate: the formula of the error does not follow from that of line 4
    without what is true: certificate: the formula of the error does not follow from that of line 4
    ");
}

/// A procedure is entered in a loop, and what it decides it by was set before each time.
#[test]
fn a_mode_that_callers_set() {
    assert_snapshot!(claims("int mode;\nint run(int n) {\n if (mode == 2) {\n  while (n < 10) n++;\n  return n;\n }\n \
        if (mode != 1) reach_error();\n return 10; }\n\
        int main() {\n while (__VERIFIER_nondet_int()) {\n  mode = 1;\n  if (run(0) != 10) reach_error();\n  mode = 2;\n  if (run(3) != 10) reach_error();\n  mode = 5;\n }\n}"), @r"
    line 11, called from 10: true
    line 5, called from 10, 15: n <= 10
    never: line 13, called from 10
    never: line 4, called from 10, 15
    never: line 4, called from 10, 13
    never: line 8, called from 10, 13
    accepted
    without never: accepted
    without either: accepted
    without what is true: accepted
    ");
}
