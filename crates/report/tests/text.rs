//! Answers as text.

mod common;

use common::{answer, answer_in, boogie_answer, recursive, shown};
use craig_base::Budget;
use craig_frontend::{Externs, Property, Reading};
use craig_report::{Cost, counterexample, invariant, json, text};
use craig_solve::{Answer, Arithmetic};
use craig_verdict::certificate::{Binding, Invariant, Invariants};
use craig_verdict::replay::{Given, ValueText, Violation};
use craig_verdict::{Contradicted, Contradiction, Reason, Verdict};
use insta::assert_snapshot;

fn check(body: &str, engine: &str) -> String {
    shown(&answer(body, engine, Reading::default()), false)
}

const COUNT: &str = "int main() {\n int i = 0;\n while (__VERIFIER_nondet_int())\n  if (i < 5) i++;\n if (i > 5) reach_error(); }";

#[test]
fn proofs() {
    assert_snapshot!(check(COUNT, "predicate"), @r"
    Proof with 1 invariant (checked):
      line 4: i <= 5
    Nothing is assumed.
    SAFE
    ");
    // What holds at every line is said once.
    assert_snapshot!(check("int step = 2;\nint main() {\n int i = 0;\n while (__VERIFIER_nondet_int())\n  if (i < 6) i += step;\n \
        if (i > 7) reach_error(); }", "predicate"), @r"
    Proof with 1 invariant (checked):
      line 5: i <= 7
      everywhere: step == 2
    Nothing is assumed.
    SAFE
    ");
    assert_snapshot!(check("int main() {\n int i = 0;\n for (i = 0; i < 3; i++) ;\n if (i != 3) reach_error(); }", "bmc"), @r"
    All runs end without error: loops unwound to their end (checked).
    Nothing is assumed.
    SAFE
    ");
    assert_snapshot!(check("int main() {\n int x = __VERIFIER_nondet_int();\n if (x > 5 && x < 5) reach_error(); }", "predicate"), @r"
    No path leads to the error (checked).
    Nothing is assumed.
    SAFE
    ");
    assert_snapshot!(check("int main() {\n return 0; }", "predicate"), @r"
    Nothing leads to the error (checked).
    Nothing is assumed.
    SAFE
    ");
    assert_snapshot!(shown(&boogie_answer("procedure main() {\n  var b: bool;\n  b := true;\n  while (*) {\n    b := !b || b;\n  }\n  assert b; }", "predicate"), false), @r"
    Proof with 1 invariant (checked):
      line 4: b
    Nothing is assumed.
    SAFE
    ");
}

#[test]
fn lines_where_nothing_is_to_overflow() {
    // So many operations that lead to the error if they overflow, each in a line of its own.
    let overflowing = |lines: usize| {
        let body = "  k = __VERIFIER_nondet_int(); if (k >= 0 && k + 1 < 0) x = 1;\n".repeat(lines);
        check(&format!("int main() {{\n int x = 0, k;\n{body} if (x == 1) reach_error(); }}"), "bmc")
    };
    assert_snapshot!(overflowing(0), @r"
    Nothing leads to the error (checked).
    Nothing is assumed.
    SAFE
    ");
    assert_snapshot!(overflowing(1), @r"
    No path leads to the error (checked).
    Assuming no signed overflow at line 4.
    SAFE
    ");
    assert_snapshot!(overflowing(2), @r"
    No path leads to the error (checked).
    Assuming no signed overflow at lines 4, 5.
    SAFE
    ");
    assert_snapshot!(overflowing(12), @r"
    No path leads to the error (checked).
    Assuming no signed overflow at lines 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15.
    SAFE
    ");
    assert_snapshot!(overflowing(14), @r"
    No path leads to the error (checked).
    Assuming no signed overflow at lines 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 and 2 more.
    SAFE
    ");
}

#[test]
fn functions_without_body() {
    let body = "int ext(int);\nint other(void);\nint main() {\n int x = ext(1);\n other();\n while (x < 5) x++;\n if (x < 5) reach_error(); }";
    let with = |externs: Externs| {
        shown(&answer(body, "predicate", Reading { externs, ..Reading::default() }), false)
    };
    assert_snapshot!(with(Externs::Pure), @r"
    Proof with 1 invariant (checked):
      line 7: true
    Assuming that ext, which has no body, returns any value and changes nothing (line 5).
    Assuming that other, which has no body, returns any value and changes nothing (line 6).
    SAFE
    ");
    assert_snapshot!(with(Externs::Havoc), @r"
    Proof with 1 invariant (checked):
      line 7: true
    Assuming that ext, which has no body, returns any value, changes at most globals, variables that it is given and one object behind each other pointer, and calls at most what it is given, at once (line 5).
    Assuming that other, which has no body, returns any value, changes at most globals, variables that it is given and one object behind each other pointer, and calls at most what it is given, at once (line 6).
    SAFE
    ");
    assert_snapshot!(with(Externs::Error), @r"UNKNOWN (unsupported: call of `ext`, which has no body, line 5)");
}

const CALLS: &str = "int limit = 2;\nint twice(int n) {\n return 2 * n;\n}\nint main() {\n int sum = 0;\n \
    for (int i = 0; i < limit; i++) {\n  int x = __VERIFIER_nondet_int();\n  if (x != 4) return 0;\n  sum += twice(x);\n }\n \
    if (sum == 16) reach_error();\n}";

#[test]
fn a_counterexample() {
    assert_snapshot!(check(CALLS, "bmc"), @r"
    Counterexample of 26 steps, replayed by the interpreter:
        7 | int sum = 0;                      | sum = 0
        8 | for (int i = 0; i < limit; i++) { | i = 0
        9 | int x = __VERIFIER_nondet_int();  | x = 4
       10 | if (x != 4) return 0;
       11 | sum += twice(x);                  | n = 4
        4 |   return 2 * n;                   | returns 8
       11 | sum += twice(x);                  | sum = 8
        8 | for (int i = 0; i < limit; i++) { | i = 1
        9 | int x = __VERIFIER_nondet_int();  | x = 4
       10 | if (x != 4) return 0;
       11 | sum += twice(x);                  | n = 4
        4 |   return 2 * n;                   | returns 8
       11 | sum += twice(x);                  | sum = 16
        8 | for (int i = 0; i < limit; i++) { | i = 2
       13 | if (sum == 16) reach_error();
    UNSAFE
    ");
}

/// What failed, where pointers lead, what the entry is given.
#[test]
fn a_counterexample_in_the_words_of_the_program() {
    let entry = |name: &str| Reading { entry: Some(name.into()), ..Reading::default() };
    let words = |body: &str, reading| shown(&answer(body, "bmc", reading), false);
    let pointers = words(
        "void assert(int);\nstruct s { int n; char text[4]; } s;\nvoid f(void) { }\nint main() {\n char *p = &s.text[0];\n p += 3;\n int *q = &s.n, *r = q;\n \
        void (*g)(void) = f;\n assert(p  !=\n &s.text[3]); }",
        Reading::default(),
    );
    for wanted in ["p = &s.text[0]", "p = &s.text[3]", "q = &s.n", "r = &s.n", "g = f"] {
        assert!(pointers.contains(wanted), "{wanted}: {pointers}");
    }
    assert!(pointers.contains("assertion `p != &s.text[3]` failed (line 10)"), "{pointers}");
    let glibc = "void __assert_fail(const char *, const char *, unsigned, const char *);\nint f(int x) {\n x != 3 ? (void)0 : __assert_fail(\"x != 3\", \"f.c\", 3, \"f\");\n return x; }";
    let given = words(glibc, entry("f"));
    assert!(given.contains("x = 3\n"), "{given}");
    assert!(given.contains("  assertion `x != 3` failed (line 4)\nUNSAFE"), "{given}");
    // Other errors say no more than where they are.
    let other = words("int main() { reach_error(); }", Reading::default());
    assert!(!other.contains("failed"), "{other}");
}

#[test]
fn values_of_other_types() {
    assert_snapshot!(check("unsigned char c = 200; short s = -3; unsigned long long w; struct { int a; char *p; } t; float f;\n\
        int main() {\n w = 18446744073709551615ull;\n t.a = -1;\n t.p = 0;\n f = 1.5f;\n int x = __VERIFIER_nondet_int();\n \
        if (x == -7) reach_error(); }", "bmc"), @r"
    Counterexample of 8 steps, replayed by the interpreter:
        4 | w = 18446744073709551615ull;     | w = 18446744073709551615
        5 | t.a = -1;                        | t.a = -1
        6 | t.p = 0;                         | t.p = NULL
        7 | f = 1.5f;                        | f = 1.5
        8 | int x = __VERIFIER_nondet_int(); | x = -7
        9 | if (x == -7) reach_error(); }
    UNSAFE
    ");
}

#[test]
fn a_long_counterexample_has_its_middle_left_out() {
    let answer = answer(
        "int main() {\n int i = 0;\n while (i < 45) {\n  i++;\n }\n if (i == 45) reach_error(); }",
        "bmc",
        Reading::default(),
    );
    let (short, long) = (text::evidence(&answer, false), text::evidence(&answer, true));
    let Verdict::Unsafe(_, run) = &answer.verdict else { panic!("an execution") };
    let rows = counterexample::rows(&answer.source, run);
    // A title, and a line for each row.
    assert_eq!(long.lines().count(), rows.len() + 1);
    assert!(!long.contains("left out"));
    // A title, 30 rows, a line about what is left out, 50 rows.
    assert_eq!(short.lines().count(), 1 + 30 + 1 + 50);
    let lines: Vec<&str> = short.lines().collect();
    assert_eq!(lines[31], format!("  ... {} lines left out (-v shows all)", rows.len() - 80));
    let all: Vec<&str> = long.lines().collect();
    assert_eq!(lines[..31], all[..31]);
    assert_eq!(lines[32..], all[all.len() - 50..]);
}

/// Of frames that repeat the first and the last are shown, on the way down and on the way back.
#[test]
fn repeated_frames_are_folded() {
    let answer = answer(
        "int odd(int n);\nint even(int n) {\n if (n == 0) return 1;\n return odd(n - 1); }\nint odd(int n) {\n if (n == 0) return 0;\n \
         return even(n - 1); }\nint main() {\n if (even(20)) reach_error(); }",
        "bmc",
        Reading::default(),
    );
    let (short, long) = (text::evidence(&answer, false), text::evidence(&answer, true));
    let Verdict::Unsafe(_, run) = &answer.verdict else { panic!("an execution") };
    assert_eq!(long.lines().count(), counterexample::rows(&answer.source, run).len() + 1);
    assert!(!long.contains("..."), "{long}");
    assert_eq!(short.matches("more calls of even, odd (-v shows all)").count(), 1, "{short}");
    assert_eq!(short.matches("more returns from").count(), 1, "{short}");
    assert!(short.lines().count() < 20, "{short}");
    assert!(short.contains("n = 20") && short.contains("n = 0") && !short.contains("n = 10"), "{short}");
}

/// 80 rows are shown, whatever is wanted.
#[test]
fn what_is_not_long_is_shown_whole() {
    for (rows, left_out) in [(0, 0), (80, 0), (81, 1), (200, 120)] {
        let row = |line: usize| counterexample::Row {
            line: line as u32,
            function: "f".into(),
            ..counterexample::Row::default()
        };
        let all: Vec<counterexample::Row> = (0..rows).map(row).collect();
        assert_eq!(counterexample::shown(all.clone(), true), (all.clone(), 0));
        let (shown, hidden) = counterexample::shown(all.clone(), false);
        assert_eq!((shown.len() + hidden, hidden), (rows, left_out));
        assert_eq!(shown.last(), all.last());
    }
}

#[test]
fn no_verdict() {
    let budget = Budget::unlimited().with_work(300_000);
    let stopped = answer_in(
        &COUNT.replace("i < 5", "i * i < 5"),
        Some("bmc"),
        Arithmetic::Int,
        Reading::default(),
        &budget,
    );
    assert_snapshot!(shown(&stopped, false), @r"UNKNOWN (work limit)");
    assert_snapshot!(shown(&recursive(), false), @r"UNKNOWN (recursion: f)");
    assert_snapshot!(check("int main() {\n void *where = &&there;\n goto *where;\n reach_error();\nthere:\n return 0; }", "bmc"), @r"UNKNOWN (unsupported: address of a label, line 3)");
    assert_snapshot!(check("int main() {\n int x = __VERIFIER_nondet_int();\n int y = 10 / x;\n if (x == 0) reach_error(); }", "bmc"), @r"
    No path leads to the error (checked).
    Assuming no division by zero at line 4.
    SAFE
    ");
}

/// Formulas that are many, and one that is long.
#[test]
fn as_many_formulas_as_fit() {
    let x = Binding {
        symbol: "x".into(),
        sort: "Int".into(),
        leaves: Vec::new(),
        array: false,
        address: false,
        word: None,
    };
    let at = |line: u32, formula: String| Invariant { location: line, calls: Vec::new(), line, formula };
    let proof = |count: u32| Invariants {
        symbols: vec![x.clone()],
        invariants: (1..=count).map(|n| at(n, format!("(<= x {n})"))).collect(),
        common: vec!["(>= x 0)".into()],
        ..Invariants::default()
    };
    let last = |count: u32| {
        let text = invariant::text(&proof(count));
        (text.lines().count(), text.lines().last().map(str::to_string).unwrap_or_default())
    };
    assert_eq!(last(1), (2, "  everywhere: x >= 0".into()));
    assert_eq!(last(19), (20, "  everywhere: x >= 0".into()));
    assert_eq!(last(20), (21, "  ... and 1 more".into()));
    assert_eq!(last(100), (21, "  ... and 81 more".into()));
    let large: Vec<String> = (0..100).map(|n| format!("(= x {})", 7 * n)).collect();
    let proof = |formulas: &[&str]| Invariants {
        symbols: vec![x.clone()],
        invariants: (1..).zip(formulas).map(|(line, formula)| at(line, formula.to_string())).collect(),
        ..Invariants::default()
    };
    let text = invariant::text(&proof(&[&format!("(or {})", large.join(" ")), "false", "true"]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "  line 1:");
    assert_eq!(lines[1].chars().count(), "    ".len() + 300 + " ...".len());
    assert!(lines[1].starts_with("    x in {0, 7, 14, "), "{}", lines[1]);
    assert_eq!(lines[2..], ["  line 2: false (never reached)", "  line 3: true"]);
    // A variable with the name of an operation.
    let store = Binding { symbol: "store".into(), ..x.clone() };
    let named = Invariants { symbols: vec![store], ..proof(&["(<= |store| 3)"]) };
    assert_eq!(invariant::text(&named), "  line 1: store <= 3\n");
    // What cannot be read is shown as it is.
    assert_eq!(invariant::text(&proof(&["(<= x"])), "  line 1: (<= x\n");
}

#[test]
fn lines_for_the_competition() {
    let with = |property: Property, error: &str| {
        let body = format!(
            "void foo(void);\nint main() {{\n int x = __VERIFIER_nondet_int();\n {error}; return 0; }}"
        );
        let answer = answer(&body, "bmc", Reading { property, ..Reading::default() });
        text::svcomp(&answer)
    };
    let call = |name: &str| Property::Call(name.into());
    assert_eq!(with(Property::Default, "reach_error()"), "FALSE(unreach-call)");
    assert_eq!(with(call("reach_error"), "reach_error()"), "FALSE(unreach-call)");
    assert_eq!(with(call("foo"), "foo()"), "FALSE(call(foo()))");
    assert_eq!(with(call("foo"), "if (x != x) foo()"), "TRUE");
    assert_eq!(with(Property::Label("here".into()), "if (x == 3) { here: x = 1; }"), "FALSE(label(here))");
    assert_eq!(with(Property::Label("ERROR".into()), "if (x == 3) { ERROR: x = 1; }"), "FALSE(error-label)");
    assert_eq!(with(Property::NoOverflow, "x = x + 1"), "FALSE(no-overflow)");
    assert_eq!(with(Property::NoOverflow, "x = x / 2"), "TRUE");
    assert_eq!(with(Property::Default, "void *p = &&there; goto *p; reach_error(); there: x = 1"), "UNKNOWN");
}

/// The names of the counters; their values are for the engines to say.
#[test]
fn counters() {
    let names = |answer: &Answer| {
        let stats = text::stats(answer, &Cost::default());
        stats.lines().filter_map(|line| line.split_whitespace().next()).collect::<Vec<_>>().join(" ")
    };
    assert_snapshot!(names(&answer(COUNT, "predicate", Reading::default())), @r"engine arithmetic locations edges loops art_nodes art_nodes_made covered predicates_total predicates_avg predicates_max blocks places_seen certificate_s solver_calls calls_search calls_interpolation calls_checking solver_work solver_s refinements interpolations interp_proof interp_farkas interp_spacer interp_strongest interp_weakest interp_candidates fallbacks interpolant_atoms_median feasibility_s explanation_s refinement_s explained_tuples explained_interpolants explained_path_atoms explained_all_values explained_guesses abstractions abstraction_cache_hits abstraction_s bdd_nodes engine_s check_s gate_s gate_runs gate_steps gate_formulas gate_skipped gate_accesses checker_calls assumptions attempts wall_s cpu_s max_rss_mb");
    assert_snapshot!(names(&answer(CALLS, "bmc", Reading::default())), @r"engine arithmetic locations edges loops depth blocks places_seen solver_calls calls_search solver_work solver_s engine_s replay_s attempts wall_s cpu_s max_rss_mb");
    // The cost is what it is told.
    let cost = Cost { peak_bytes: 12_345_678, ..Cost::default() };
    let stats = text::stats(&answer(COUNT, "predicate", Reading::default()), &cost);
    assert!(
        stats.ends_with("wall_s            0.000\ncpu_s             0.000\nmax_rss_mb        12.3\n"),
        "{stats}"
    );
}

#[test]
fn attempts() {
    let answer = answer_in(CALLS, None, Arithmetic::Auto, Reading::default(), &Budget::unlimited());
    let text = text::attempts(&answer);
    assert_eq!(text.lines().count(), answer.attempts.len());
    assert_eq!(text.matches("(int): decided, ").count(), 1, "{text}");
    assert_eq!(text.matches("(int): interrupted, ").count(), answer.attempts.len() - 1, "{text}");
}

/// A run that is at odds with a proof: what it did and how to repeat it.
#[test]
fn contradictions() {
    let mut answer = answer(COUNT, "predicate", Reading::default());
    let asks = |op: &craig_cfa::Op| matches!(op, craig_cfa::Op::Havoc(_, craig_cfa::Choice::Nondet(_)));
    let edge = answer.source.edges.iter().position(|e| asks(&e.op)).expect("a nondeterministic value");
    let id = craig_cfa::EdgeId::from_usize(edge);
    let value = craig_cfa::interp::Value::Bits(u128::from(u32::MAX));
    let given =
        Given { edge: edge as u32, occurrence: 0, offset: 0, bit: 0, value: ValueText(value.clone()) };
    let found = Contradiction {
        what: Contradicted::Invariant {
            formula: "(<= i 3)".into(),
            values: vec![("i".into(), "4".into()), ("k".into(), "0".into())],
        },
        span: Some(answer.source.edges[id].span),
        steps: 12,
        values: vec![(id, value), (id, craig_cfa::interp::Value::Bits(0))],
        run: Violation {
            arith: craig_encode::Arith::Int,
            places: Vec::new(),
            outside: Vec::new(),
            choices: vec![given],
        },
    };
    answer.verdict = Verdict::Unknown(Reason::Contradiction(Box::new(found.clone())));
    assert_snapshot!(shown(&answer, false), @r"
    A proof was found and checked, but a run of the program contradicts it. This is a bug of craig: please report it with the program.
      invariant of line 4: (<= i 3)
      false with i = 4, k = 0
      after 12 steps of the run
      with --values -1,0
      with these choices and zero for all others: edge 2.0 0xffffffff
    UNKNOWN (contradiction: an invariant is false on a run, line 4)
    ");
    let record = json::Record::new("p.c", &answer, &Cost::default(), false);
    assert_snapshot!(serde_json::to_string(&record.contradiction).expect("JSON"), @r#"{"kind":"invariant","line":4,"formula":"(<= i 3)","state":["i = 4","k = 0"],"steps":12,"values":["-1","0"],"choices":[{"edge":2,"occurrence":0,"value":"0xffffffff"}]}"#);
    // Nothing was chosen, and more than fits.
    let none = Contradiction { what: Contradicted::Error, values: Vec::new(), ..found.clone() };
    let none = Contradiction { run: Violation { choices: Vec::new(), ..none.run.clone() }, ..none };
    answer.verdict = Verdict::Unknown(Reason::Contradiction(Box::new(none)));
    assert_snapshot!(shown(&answer, false), @r"
    A proof was found and checked, but a run of the program contradicts it. This is a bug of craig: please report it with the program.
      after 12 steps of the run
    UNKNOWN (contradiction: a run reaches the error, line 4)
    ");
    let many = Contradiction { values: vec![found.values[0].clone(); 60], ..found };
    answer.verdict = Verdict::Unknown(Reason::Contradiction(Box::new(many)));
    assert!(shown(&answer, false).contains("-1,... (10 more, all in --json)"));
}
