//! Witnesses in the format of SV-COMP: what other tools write is read, what is wrong is not accepted.

use craig_base::Budget;
use craig_engine::Silent;
use craig_frontend::Reading;
use craig_solve::exchange::{Validation, validate};
use craig_solve::{Arithmetic, Plan};
use craig_verdict::Verdict;
use craig_verdict::exchange::yaml;
use std::path::PathBuf;

/// A program in a file that goes with it.
struct Program(PathBuf);

impl Program {
    fn new(name: &str, text: &str) -> Program {
        let path = std::env::temp_dir().join(format!("craig-exchange-{}-{name}.c", std::process::id()));
        std::fs::write(&path, text).expect("a file");
        Program(path)
    }

    fn validate(&self, witness: &str) -> Validation {
        let entries = yaml::read(witness).expect("a witness");
        let plan = Plan { arithmetic: Arithmetic::Auto, ..Plan::default() };
        let budget = Budget::unlimited();
        validate(&self.0, &Reading::default(), &entries, &plan, &budget, &mut Silent).expect("a program")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn metadata(kind: &str) -> String {
    format!(
        "- entry_type: \"{kind}\"
  metadata:
    format_version: \"2.0\"
    uuid: \"91023a0f-9f45-4385-88c4-1152ade45537\"
    creation_time: \"2024-05-05T15:18:43+02:00\"
    producer:
      name: \"SomeTool\"
      version: \"4.0\"
      configuration: \"svcomp24\"
    task:
      input_files:
        - \"p.c\"
      input_file_hashes:
        \"p.c\": \"00\"
      specification: |+
        CHECK( init(main()), LTL(G ! call(reach_error())) )
      data_model: \"ILP32\"
      language: \"C\"
  content:
"
    )
}

/// A set of invariants: kind, line, column and formula of each.
fn invariants(all: &[(&str, u32, Option<u32>, &str)]) -> String {
    let mut text = metadata("invariant_set");
    for (kind, line, column, value) in all {
        let column = column.map(|column| format!("\n        column: {column}")).unwrap_or_default();
        text.push_str(&format!(
            "  - invariant:
      type: \"{kind}_invariant\"
      location:
        file_name: \"p.c\"
        line: {line}{column}
        function: \"main\"
      value: \"{value}\"
      format: \"c_expression\"
"
        ));
    }
    text
}

/// Kind, action, line, column and constraint of a waypoint.
type Point<'a> = (&'a str, &'a str, u32, Option<u32>, Option<&'a str>);

/// A violation by its waypoints, with a segment for each that is to be followed.
fn violation(all: &[Point<'_>]) -> String {
    let mut text = metadata("violation_sequence");
    let mut open = false;
    for (kind, action, line, column, value) in all {
        if !open {
            text.push_str("  - segment:\n");
        }
        let column = column.map(|column| format!("\n          column: {column}")).unwrap_or_default();
        let value = value.map(|value| {
            let format = match *kind {
                "branching" => "",
                "function_return" => "\n          format: \"ext_c_expression\"",
                _ => "\n          format: \"c_expression\"",
            };
            let value = if *kind == "branching" { value.to_string() } else { format!("'{value}'") };
            format!("\n        constraint:\n          value: {value}{format}")
        });
        text.push_str(&format!(
            "    - waypoint:
        type: \"{kind}\"
        action: \"{action}\"
        location:
          file_name: \"p.c\"
          line: {line}{column}{}\n",
            value.unwrap_or_default()
        ));
        open = *action == "avoid";
    }
    text
}

const SQUARES: &str = "extern void reach_error(void);
int main(void) {
    int i = 0;
    int s = 0;
    while (i < 12) {
        s = s + 2 * i + 1;
        i = i + 1;
    }
    if (s != 144) reach_error();
    return 0;
}
";

#[test]
fn invariants_that_are_a_proof_need_nobody() {
    let program = Program::new("squares", SQUARES);
    let proof = invariants(&[("loop", 5, Some(5), "s == i * i && 0 <= i && i <= 12")]);
    let found = program.validate(&proof);
    assert!(matches!(&found, Validation::Holds { alone: true, .. }), "{found:?}");
}

#[test]
fn invariants_that_only_hold_are_completed() {
    let program = Program::new("helped", SQUARES);
    for weak in [
        invariants(&[("loop", 5, None, "i >= 0")]),
        invariants(&[("location", 6, Some(9), "i < 12"), ("location", 9, None, "i == 12")]),
        // Columns from zero, as some tools count.
        invariants(&[("loop", 5, Some(4), "i <= 100")]),
        metadata("invariant_set").replace("content:\n", "content: []\n"),
    ] {
        let found = program.validate(&weak);
        assert!(matches!(&found, Validation::Holds { .. }), "{weak}\n{found:?}");
    }
}

#[test]
fn a_safe_program_does_not_make_a_wrong_invariant_true() {
    let program = Program::new("wrong", SQUARES);
    let wrong = invariants(&[("loop", 5, Some(5), "i < 12")]);
    let found = program.validate(&wrong);
    assert!(matches!(&found, Validation::Refuted { error: false, .. }), "{found:?}");
    let unsafe_program = Program::new("unsafe", &SQUARES.replace("144", "143"));
    let found = unsafe_program.validate(&invariants(&[("loop", 5, Some(5), "i <= 12")]));
    assert!(matches!(&found, Validation::Refuted { error: true, .. }), "{found:?}");
}

#[test]
fn what_is_said_of_no_place_is_refused() {
    let program = Program::new("lost", SQUARES);
    let found = program.validate(&invariants(&[("loop", 6, None, "i >= 0")]));
    assert!(matches!(&found, Validation::Lost(lines) if lines[..] == [6]), "{found:?}");
}

#[test]
fn expressions_without_side_effects_are_asked_for() {
    let program = Program::new("effects", SQUARES);
    for text in ["i = 0", "i++ > 0", "f(i)", "0; } int x", "i +", "1) || (1", "unknown > 0"] {
        let entries = yaml::read(&invariants(&[("loop", 5, None, text)])).expect("a witness");
        let budget = Budget::unlimited();
        let found =
            validate(&program.0, &Reading::default(), &entries, &Plan::default(), &budget, &mut Silent);
        assert!(found.is_err(), "`{text}`: {found:?}");
    }
}

/// Of invariants that are changed at random those are accepted that hold, and of these only.
#[test]
fn changed_invariants_are_accepted_only_if_they_hold() {
    let program = Program::new("changed", SQUARES);
    let states: Vec<(i64, i64)> = (0..=12).map(|i| (i, i * i)).collect();
    let (mut accepted, mut refused) = (0, 0);
    for case in 0..110i64 {
        let (a, b, c) = (case % 5 - 1, case / 5 % 4 - 1, case / 20 % 6);
        let bound = 9 + c;
        let (text, holds): (String, Box<dyn Fn(i64, i64) -> bool>) = match case % 5 {
            0 => (format!("s == {a} * i * i + {b}"), Box::new(move |i, s| s == a * i * i + b)),
            1 => (format!("i <= {bound} && s >= {a}"), Box::new(move |i, s| i <= bound && s >= a)),
            2 => (format!("s <= {bound} * i + {b}"), Box::new(move |i, s| s <= bound * i + b)),
            3 => (format!("(s - i) % 2 == {b}"), Box::new(move |i, s| (s - i) % 2 == b)),
            _ => (
                format!("i == {c} ? s == {} : s != {}", c * c + b, c * c),
                Box::new(move |i, s| if i == c { s == c * c + b } else { s != c * c }),
            ),
        };
        let is_true = states.iter().all(|(i, s)| holds(*i, *s));
        let found = program.validate(&invariants(&[("loop", 5, Some(5), &text)]));
        let taken = matches!(found, Validation::Holds { .. });
        assert!(!taken || is_true, "`{text}` was accepted");
        accepted += u32::from(taken);
        refused += u32::from(matches!(found, Validation::Refuted { error: false, .. }));
        // The program is small: all that holds can be shown, all that does not is refuted.
        assert_eq!(taken, is_true, "`{text}`: {found:?}");
    }
    assert_eq!(accepted + refused, 110);
    assert!(accepted >= 10 && refused >= 50, "{accepted} accepted, {refused} refused");
}

const SUM: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int check(int sum) {
    if (sum == 17)
        reach_error();
    return sum;
}
int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int x = __VERIFIER_nondet_int();
        if (x < 0 || x > 9) return 0;
        sum += x;
    }
    check(sum);
    if (sum == 20) reach_error();
    return 0;
}
";

fn followed(found: &Validation) -> bool {
    let Validation::Followed { answer, waypoints, of } = found else { return false };
    assert_eq!(waypoints, of);
    matches!(answer.verdict, Verdict::Unsafe(..))
}

#[test]
fn waypoints_of_all_kinds_are_followed() {
    let program = Program::new("sum", SUM);
    let follow = "follow";
    let target = ("target", follow, 5, Some(9), None);
    let found = program.validate(&violation(&[
        ("branching", follow, 10, Some(5), Some("true")),
        ("function_return", follow, 11, Some(39), Some("\\result == 8")),
        ("branching", follow, 12, None, Some("false")),
        ("assumption", follow, 13, Some(9), Some("x == 8 && i == 0")),
        ("function_return", follow, 11, None, Some("\\result == 9")),
        ("branching", follow, 10, Some(5), Some("false")),
        ("function_enter", follow, 15, Some(14), None),
        ("branching", follow, 4, None, Some("true")),
        target,
    ]));
    assert!(followed(&found), "{found:?}");
    let Validation::Followed { answer, .. } = &found else { return };
    let Verdict::Unsafe(_, run) = &answer.verdict else { return };
    let line = run.trace.steps.back().map(|s| answer.source.source.line(answer.source.edges[s.edge].span));
    assert_eq!(line, Some(5));
}

#[test]
fn waypoints_that_lead_nowhere_are_not_accepted() {
    let program = Program::new("nowhere", SUM);
    let (follow, target) = ("follow", ("target", "follow", 5, Some(9), None));
    let value = |text| ("function_return", follow, 11, Some(39), Some(text));
    // The error of the other line has another sum.
    let other = ("target", follow, 16, Some(20), None);
    let avoid = ("branching", "avoid", 10, Some(5), Some("false"));
    let cases = [
        vec![value("\\result == 50"), target],
        vec![value("\\result == 9"), value("\\result == 9"), value("\\result == 0"), target],
        vec![("assumption", follow, 13, Some(9), Some("sum > 18")), target],
        vec![("branching", follow, 4, None, Some("false")), target],
        vec![avoid, target],
        vec![value("\\result == 0"), value("\\result == 9"), value("\\result == 9"), other],
    ];
    for case in cases {
        let found = program.validate(&violation(&case));
        assert!(matches!(found, Validation::NoSuchRun), "{case:?}: {found:?}");
    }
    let right = [value("\\result == 2"), value("\\result == 9"), value("\\result == 9"), other];
    assert!(followed(&program.validate(&violation(&right))));
}

/// Whatever the results of calls are said to be: what is accepted adds up.
#[test]
fn changed_results_are_accepted_only_if_they_lead_to_the_error() {
    let program = Program::new("results", SUM);
    let mut accepted = 0;
    for case in 0..100i64 {
        let (a, b, c) = (case % 11, case / 7 % 10, case / 3 % 12 - 1);
        let value = |n: i64| format!("\\result == {n}");
        let (va, vb, vc) = (value(a), value(b), value(c));
        let point = |text| ("function_return", "follow", 11, Some(39), Some(text));
        let witness = violation(&[
            point(va.as_str()),
            point(vb.as_str()),
            point(vc.as_str()),
            ("target", "follow", 5, Some(9), None),
        ]);
        let leads = [a, b, c].iter().all(|n| (0..=9).contains(n)) && a + b + c == 17;
        let found = program.validate(&witness);
        assert_eq!(followed(&found), leads, "{a}, {b}, {c}: {found:?}");
        accepted += u32::from(leads);
    }
    assert!(accepted > 0);
}

#[test]
fn files_that_are_no_witnesses_are_refused() {
    let good = invariants(&[("loop", 5, None, "i >= 0")]);
    assert!(yaml::read(&good).is_ok());
    let bad = [
        String::new(),
        "[]".into(),
        "- entry_type: nonsense".into(),
        good.replace("\"2.0\"", "\"9.7\""),
        good.replace("loop_invariant", "no_invariant"),
        good.replace("c_expression", "lisp"),
        good.replace("line: 5", "line: -5"),
        good.replace("      value:", "      valu:"),
        violation(&[("assumption", "follow", 5, None, Some("1"))]),
        violation(&[("target", "avoid", 5, None, None)]),
        format!("{good}{}", violation(&[("target", "follow", 5, None, None)])),
    ];
    for text in bad {
        assert!(yaml::read(&text).is_err(), "{text}");
    }
}
