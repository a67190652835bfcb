//! Answers as JSON: tools read it, so keys and their values stay what they are.

mod common;

use common::{answer, answer_in, recursive};
use craig_base::Budget;
use craig_frontend::{Externs, Reading};
use craig_report::Cost;
use craig_report::json::Record;
use craig_solve::{Answer, Arithmetic};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::Duration;

fn record(answer: &Answer, all: bool) -> Value {
    let cost = Cost {
        wall: Duration::from_micros(1_234_567),
        cpu: Duration::from_millis(20),
        peak_bytes: 5_000_000,
    };
    let text = serde_json::to_string(&Record::new("dir/test.c", answer, &cost, all)).expect("JSON");
    serde_json::from_str(&text).expect("JSON")
}

fn keys(value: &Value) -> String {
    let keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.join(" ")
}

const COUNT: &str = "int step = 1;\nint ext(void);\nint main() {\n int i = 0, k = 0;\n while (ext()) {\n  if (i < 5) i += step;\n  k++;\n }\n \
    if (i > 5 || k < 0) reach_error(); }";

#[test]
fn safe() {
    let found = record(&answer(COUNT, "predicate", Reading::default()), false);
    assert_snapshot!(keys(&found), @r"arith assumes_no_overflow_at assumptions certificate cpu_s engine externs file invariants max_rss_mb property stats verdict wall_s");
    assert_eq!(found["file"], "dir/test.c");
    assert_eq!(found["verdict"], "SAFE");
    assert_eq!(found["property"], "unreach-call");
    assert_eq!((&found["engine"], &found["arith"]), (&json!("predicate"), &json!("int")));
    assert_eq!(
        (&found["wall_s"], &found["cpu_s"], &found["max_rss_mb"]),
        (&json!(1.235), &json!(0.02), &json!(5.0))
    );
    assert_eq!(keys(&found["certificate"]), "checked kind locations solver_calls");
    assert_eq!(found["certificate"]["checked"], true);
    assert_eq!(found["certificate"]["kind"], "invariants");
    assert_eq!(found["certificate"]["locations"], 1);
    assert_eq!(found["externs"], json!(["ext"]));
    let last = found["invariants"].as_array().and_then(|all| all.last()).expect("formulas");
    assert_eq!(last, &json!({"formula": "step == 1"}), "what holds everywhere has no line");
    assert_snapshot!(found["assumptions"].to_string(), @r#"[{"file":"test.c","kind":"extern","line":6,"text":"ext, which has no body, returns any value and changes nothing"},{"file":"test.c","kind":"signed-overflow","line":8,"text":"no signed overflow"}]"#);
    assert!(found["stats"].as_object().is_some_and(|stats| stats.contains_key("solver_calls")));
}

#[test]
fn safe_in_other_ways() {
    let empty = record(&answer("int main() { return 0; }", "predicate", Reading::default()), false);
    assert_snapshot!(keys(&empty), @r"arith certificate cpu_s engine file max_rss_mb property stats vacuous verdict wall_s");
    assert_eq!(empty["vacuous"], true);
    let unwound = "int main() {\n int i = 0;\n for (i = 0; i < 3; i++) ;\n if (i != 3) reach_error(); }";
    let unwound = record(&answer(unwound, "bmc", Reading::default()), false);
    assert_eq!(unwound["certificate"]["kind"], "unwinding");
    assert_eq!(unwound["vacuous"], Value::Null);
}

#[test]
fn externs_that_change_things() {
    let reading = Reading { externs: Externs::Havoc, ..Reading::default() };
    let used = "int ext(void);\nint main() { int x = ext(); if (x < 3) if (x > 5) reach_error(); }";
    let found = record(&answer(used, "predicate", reading), false);
    assert_snapshot!(found["assumptions"].to_string(), @r#"[{"file":"test.c","kind":"extern","line":3,"text":"ext, which has no body, returns any value, changes at most globals, variables that it is given and one object behind each other pointer, and calls at most what it is given, at once"}]"#);
}

#[test]
fn unsafe_() {
    let body = "int main() {\n int x = __VERIFIER_nondet_int();\n int y = __VERIFIER_nondet_int();\n if (x == 3 && y == -4) reach_error(); }";
    let found = record(&answer(body, "bmc", Reading::default()), false);
    assert_snapshot!(keys(&found), @r"arith cpu_s engine file max_rss_mb property replay stats trace verdict wall_s");
    assert_eq!(found["verdict"], "UNSAFE");
    assert_eq!(keys(&found["replay"]), "ok steps values");
    assert_eq!(found["replay"]["ok"], true);
    assert_eq!(found["replay"]["values"], json!(["3", "-4"]));
    let row = |line: u32, text: &str, values: Value| json!({"line": line, "depth": 0, "text": text, "values": values});
    assert_eq!(
        found["trace"],
        json!([
            row(3, "int x = __VERIFIER_nondet_int();", json!(["x = 3"])),
            row(4, "int y = __VERIFIER_nondet_int();", json!(["y = -4"])),
            row(5, "if (x == 3 && y == -4) reach_error(); }", json!([])),
        ])
    );
}

#[test]
fn a_long_trace() {
    let answer = answer(
        "int main() {\n int i = 0;\n while (i < 45) {\n  i++;\n }\n if (i == 45) reach_error(); }",
        "bmc",
        Reading::default(),
    );
    let rows = |all: bool| record(&answer, all)["trace"].as_array().map_or(0, Vec::len);
    assert_eq!(rows(false), 80);
    assert!(rows(true) > 80);
}

#[test]
fn unknown() {
    let found = record(&recursive(), false);
    assert_snapshot!(keys(&found), @r"arith cpu_s engine file max_rss_mb property reason reason_key stats verdict wall_s");
    assert_eq!(
        (&found["verdict"], &found["reason"], &found["reason_key"]),
        (&json!("UNKNOWN"), &json!("recursion: f"), &json!("recursion"))
    );
    let none =
        answer_in(COUNT, Some("bmc"), Arithmetic::Int, Reading::default(), &Budget::unlimited().with_work(1));
    let none = record(&none, false);
    assert_eq!(none["reason_key"], "work-limit");
}

#[test]
fn attempts() {
    // Integers cannot say what bits do; bit-vectors can.
    let body = "int main() {\n unsigned x = __VERIFIER_nondet_int();\n unsigned i = 0;\n while (i < 3) i++;\n if (i == 3 && (x & 7) == 5) reach_error(); }";
    let found =
        record(&answer_in(body, None, Arithmetic::Auto, Reading::default(), &Budget::unlimited()), false);
    assert_eq!(found["verdict"], "UNSAFE");
    let attempts = found["attempts"].as_array().expect("more than one");
    assert!(attempts.len() > 1);
    let decided = |a: &&Value| a["reason"].is_null();
    let decisive: Vec<&Value> = attempts.iter().filter(decided).collect();
    assert_eq!(decisive.len(), 1);
    assert_eq!(keys(decisive[0]), "arith engine stats");
    assert_eq!((&decisive[0]["engine"], &decisive[0]["stats"]), (&found["engine"], &found["stats"]));
    let other = attempts.iter().find(|a| !decided(a)).expect("one without verdict");
    assert_eq!(keys(other), "arith engine reason reason_key stats");
    assert_eq!(other["reason_key"], "interrupted");
    // One attempt is told by the record itself.
    let one = record(&answer(body, "bmc", Reading::default()), false);
    assert_eq!(one["attempts"], Value::Null);
}
