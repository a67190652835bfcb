//! `craig check` and `craig check-witness`, end to end: what they print, their exit codes, their witnesses.

use crate::support::{Folder, Ran, craig};
use insta::assert_snapshot;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

const SAFE: &str = "int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 5 && x < 7 && x != 6) reach_error();
    return 0;
}
";

const BOUNDED: &str = "int main(void) {
    unsigned char sum = 0;
    for (unsigned char i = 0; i < 10; i++) sum += i;
    if (sum != 45) reach_error();
    return 0;
}
";

const UNSAFE: &str = "int limit = 3;

static int twice(int n) {
    return 2 * n;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < limit; i++) {
        int x = __VERIFIER_nondet_int();
        if (x < 0 || x > 9) return 0;
        sum += twice(x);
    }
    if (sum == 54) reach_error();
    return 0;
}
";

// By reference: no contract stands for such calls.
const RECURSIVE: &str = "static int down(int *n) {
    int less = *n - 1;
    return *n > 0 ? down(&less) : *n;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (down(&n) > 0) reach_error();
    return 0;
}
";

const NOT_MODELLED: &str = "int main(void) {
    void *where = &&there;
    goto *where;
    reach_error();
there:
    return 0;
}
";

fn program(folder: &Folder, body: &str) {
    folder.write("p.c", format!("{HEAD}{body}"));
}

fn check(body: &str, args: &[&str], name: &str) -> Ran {
    let folder = Folder::new(name);
    program(&folder, body);
    craig(&[&["check", "p.c"], args].concat(), &folder.0)
}

#[test]
fn a_program_without_loops_is_proved() {
    let ran = check(SAFE, &[], "check-safe");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_snapshot!(ran.stdout, @"
    No path leads to the error (checked).
    Nothing is assumed.
    SAFE
    ");
}

#[test]
fn a_loop_that_ends_is_unwound() {
    let ran = check(BOUNDED, &["--engine", "bmc"], "check-bounded");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_snapshot!(ran.stdout, @"
    All runs end without error: loops unwound to their end (checked).
    Nothing is assumed.
    SAFE
    ");
}

#[test]
fn an_error_is_shown_line_by_line() {
    let ran = check(UNSAFE, &["--engine", "bmc"], "check-unsafe");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_snapshot!(ran.stdout);
    let brief = check(UNSAFE, &["--engine", "bmc", "-q"], "check-brief");
    assert_eq!((brief.stdout.as_str(), brief.code), ("UNSAFE\n", Some(1)));
}

#[test]
fn what_is_not_known_has_its_reason() {
    let ran = check(RECURSIVE, &["--engine", "bmc", "--inline-limit", "300"], "check-recursive");
    assert_eq!((ran.stdout.as_str(), ran.code), ("UNKNOWN (recursion: down)\n", Some(2)), "{ran:?}");
    let ran = check(NOT_MODELLED, &[], "check-not-modelled");
    assert_eq!(ran.code, Some(2));
    assert_snapshot!(format!("{}{}", ran.stderr, ran.stdout), @r"
    note: a path needs what is not modelled: address of a label
     --> p.c:4:19
      |
    4 |     void *where = &&there;
      |                   ^^^^^^^
    UNKNOWN (unsupported: address of a label, line 4)
    ");
}

#[test]
fn the_competition_has_its_own_words() {
    for (body, expected) in [(SAFE, "TRUE\n"), (UNSAFE, "FALSE(unreach-call)\n"), (NOT_MODELLED, "UNKNOWN\n")]
    {
        let ran = check(body, &["--svcomp", "-q"], "check-svcomp");
        assert_eq!(ran.stdout, expected);
    }
}

#[test]
fn tools_get_one_object_a_file() {
    let folder = Folder::new("check-json");
    folder.write("safe.c", format!("{HEAD}{SAFE}"));
    folder.write("unsafe.c", format!("{HEAD}{UNSAFE}"));
    let ran = craig(&["check", "safe.c", "unsafe.c", "--json", "--engine", "bmc"], &folder.0);
    assert_eq!(ran.code, Some(1));
    let objects: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(objects.len(), 2);
    assert_eq!(objects[0]["verdict"], "SAFE");
    assert_eq!(objects[0]["certificate"]["checked"], true);
    assert_eq!(objects[1]["verdict"], "UNSAFE");
    assert_eq!(objects[1]["replay"]["ok"], true);
    assert_eq!(objects[1]["replay"]["values"], serde_json::json!(["9", "9", "9"]));
    for key in ["file", "property", "engine", "wall_s", "cpu_s", "max_rss_mb", "stats"] {
        assert!(objects.iter().all(|o| o.get(key).is_some()), "{key}");
    }
}

#[test]
fn overflow_that_a_proof_assumes_away_is_named() {
    // In 32 bits, 2^31 comes around to a negative number; in the integers it does not.
    let body = "int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 0 && x + 1 < 0) reach_error();
    return 0;
}
";
    let ran = check(body, &[], "check-overflow");
    assert_snapshot!(ran.stdout, @"
    No path leads to the error (checked).
    Assuming no signed overflow at line 5.
    SAFE
    ");
    let ran = check(body, &["--signed-wrap", "-q"], "check-overflow-wrap");
    assert_eq!(ran.stdout, "UNSAFE\n");
}

#[test]
fn witnesses_are_checked_again() {
    for (body, verdict, code) in [(SAFE, "SAFE", 0), (BOUNDED, "SAFE", 0), (UNSAFE, "UNSAFE", 1)] {
        let folder = Folder::new("check-witness");
        program(&folder, body);
        let ran = craig(&["check", "p.c", "-q", "--engine", "bmc", "--witness", "w.json"], &folder.0);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        let again = craig(&["check-witness", "p.c", "--witness", "w.json", "-q"], &folder.0);
        assert_eq!((again.stdout.trim(), again.code), (verdict, Some(code)), "{again:?}");
        // Of another program it proves nothing.
        let other = if verdict == "SAFE" { UNSAFE } else { SAFE };
        program(&folder, other);
        let again = craig(&["check-witness", "p.c", "--witness", "w.json", "-q"], &folder.0);
        assert_eq!(again.code, Some(2), "{again:?}");
        // Another reading is refused before anything is checked.
        let again = craig(&["check-witness", "p.c", "--witness", "w.json", "--64"], &folder.0);
        assert_eq!(again.code, Some(3), "{again:?}");
    }
}

/// A proof by procedures, written by hand: recursion is no obstacle to the checker.
#[test]
fn recursion_is_checked_procedure_by_procedure() {
    let folder = Folder::new("check-procedures");
    program(&folder, SAFE);
    let ran = craig(&["check", "p.c", "-q", "--witness", "w.json"], &folder.0);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let text = std::fs::read_to_string(folder.0.join("w.json")).expect("a witness");
    let (reading, _) = text.split_once("\"certificate\"").expect("a certificate");
    program(
        &folder,
        "int f(int n) { if (n <= 0) return 0; int r = f(n - 1); return r + 1; } int main(void) { if (f(7) != 7) reach_error(); return 0; }",
    );
    // As `craig cfa` has it: procedure 1 is main, 2 is f; 0 calls main.
    let witness = |summary: &str| {
        let certificate = format!(
            r#""certificate": {{
                "arith": "int",
                "proof": "procedures",
                "symbols": [
                    {{"symbol": "n", "sort": "Int", "moment": "now", "variable": "v1", "word": -32}},
                    {{"symbol": "n0", "sort": "Int", "moment": "entry", "variable": "v1", "word": -32}},
                    {{"symbol": "r", "sort": "Int", "moment": "result", "word": -32}}
                ],
                "invariants": [
                    {{"location": 3, "formula": "true"}},
                    {{"location": 7, "formula": "(and (>= n 0) (<= n 7))"}}
                ],
                "summaries": [
                    {{"procedure": 1, "formula": "true"}},
                    {{"procedure": 2, "formula": "{summary}"}}
                ]
            }} }}"#
        );
        folder.write("w.json", format!("{reading}{certificate}"));
        craig(&["check-witness", "p.c", "--witness", "w.json"], &folder.0)
    };
    let ran = witness("(= r n0)");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_snapshot!(ran.stdout, @r"
    The proof holds: 4 locations, 2 solver calls.
    Nothing is assumed.
    SAFE
    ");
    let ran = witness("(and (= r n0) (= r 0))");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_snapshot!(ran.stdout, @r"
    The proof is refused.
    UNKNOWN (certificate: the formula of the return of f does not follow from that of the entry of f)
    ");
}

/// Where objects lie is open: an execution says it, and its witness is replayed there.
#[test]
fn executions_say_where_objects_lie() {
    let folder = Folder::new("check-places");
    program(
        &folder,
        "int x, y; int main(void) { if ((unsigned long)&x > (unsigned long)&y) reach_error(); }",
    );
    let ran = craig(&["check", "p.c", "--witness", "w.json"], &folder.0);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("\nWhere objects lie: x at 0x"), "{ran:?}");
    let again = craig(&["check-witness", "p.c", "--witness", "w.json"], &folder.0);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stdout.contains("\nWhere objects lie: x at 0x"), "{again:?}");
    // Not with the two the other way round.
    let text = std::fs::read_to_string(folder.0.join("w.json")).expect("a witness");
    let forged = text.replace("v0", "other").replace("v1", "v0").replace("other", "v1");
    folder.write("forged.json", &forged);
    let again = craig(&["check-witness", "p.c", "--witness", "forged.json", "-q"], &folder.0);
    assert_eq!(again.code, Some(2), "{again:?}");
}

/// Addresses where no object can be, other readings: told in the words of the format.
#[test]
fn forged_witnesses_are_refused() {
    let folder = Folder::new("check-forged");
    program(
        &folder,
        "int x, y; int main() { int *p = &x; while (__VERIFIER_nondet_int()) p = p == &x ? &y : &x; *p = 1; if (x && y) reach_error(); }",
    );
    let ran = craig(&["check", "p.c", "-q", "--engine", "predicate", "--witness", "w.json"], &folder.0);
    assert_eq!(ran.stdout, "SAFE\n", "{ran:?}");
    let text = std::fs::read_to_string(folder.0.join("w.json")).expect("a witness");
    let forged: String = text.replacen("4096", "18446744073709551600", 1);
    assert_ne!(forged, text);
    folder.write("forged.json", &forged);
    let ran = craig(&["check-witness", "p.c", "--witness", "forged.json"], &folder.0);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(
        ran.stderr.trim(),
        "error: forged.json: certificate.addresses[2]: address 18446744073709551600 of p0: it ends outside the first quarter of the address space"
    );
    let ran = craig(&["check-witness", "p.c", "--witness", "w.json", "--64"], &folder.0);
    assert_eq!(
        ran.stderr.trim(),
        "error: w.json: reading.data_model: ILP32, but the program is read with LP64"
    );
    let ran = craig(&["check-witness", "p.c", "--witness", "w.json", "--signed-wrap"], &folder.0);
    assert_eq!(
        ran.stderr.trim(),
        "error: w.json: reading.signed_wrap: false, but the program is read with true"
    );
}

#[test]
fn broken_witnesses_are_refused() {
    let folder = Folder::new("check-broken");
    program(&folder, SAFE);
    for text in
        ["", "{", "[]", "{\"format\": \"craig-witness\"}", "{\"format\": \"craig-witness\", \"version\": 2}"]
    {
        folder.write("w.json", text);
        let ran = craig(&["check-witness", "p.c", "--witness", "w.json"], &folder.0);
        assert_eq!(ran.code, Some(3), "{text}: {ran:?}");
        assert!(ran.stderr.starts_with("error: w.json: "), "{ran:?}");
    }
    let ran = craig(&["check-witness", "p.c", "--witness", "missing.json"], &folder.0);
    assert_eq!(ran.code, Some(3));
}

/// `--check flat`: a sentence above the verdict, a key in the JSON, and for witnesses too.
#[test]
fn flat_memory() {
    let folder = Folder::new("check-flat");
    program(
        &folder,
        "int x, *p = &x;\nint main(void) {\n    while (__VERIFIER_nondet_int()) *p = 3;\n    if (x > 3) reach_error();\n    return 0;\n}\n",
    );
    let ran = craig(&["check", "p.c", "--check", "flat", "--witness", "w.json"], &folder.0);
    assert!(ran.stdout.ends_with("The proof holds in flat memory as well.\nSAFE\n"), "{ran:?}");
    let outcome = |args: &[&str]| {
        let ran = craig(&[&["check", "p.c", "--json"], args].concat(), &folder.0);
        let record: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        record["certificate"]["flat"]["outcome"].as_str().map(str::to_string)
    };
    assert_eq!(outcome(&["--check", "flat"]).as_deref(), Some("shown"));
    assert_eq!(outcome(&[]), None);
    let ran = craig(&["check-witness", "p.c", "--witness", "w.json", "--check", "flat"], &folder.0);
    assert!(ran.stdout.ends_with("The proof holds in flat memory as well.\nSAFE\n"), "{ran:?}");
}

const DIVIDES: &str = "static int sum(int n, int by) {
    return n <= 0 ? 0 : 12 / by + sum(n - 1, by);
}

int main(void) {
    int by = __VERIFIER_nondet_int();
    if (by < -2 || by > 2) return 0;
    sum(3, by);
    if (by == 0) reach_error();
    return 0;
}
";

/// A proof that takes a division in a recursive function to be defined says so, in the witness and behind it, whoever made it; with `--strict` it is none.
#[test]
fn what_a_proof_assumes_is_said() {
    for engine in ["bmc", "predicate"] {
        let folder = Folder::new(&format!("check-assumed-{engine}"));
        program(&folder, DIVIDES);
        let ran = craig(&["check", "p.c", "--engine", engine, "--witness", "w.json"], &folder.0);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("Assuming no division by zero at line 4."), "{ran:?}");
        let ran = craig(&["check-witness", "p.c", "--witness", "w.json"], &folder.0);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("Assuming no division by zero at line 4."), "{ran:?}");
        let ran = craig(&["check", "p.c", "--engine", engine, "--strict"], &folder.0);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stdout.contains("Assuming no division by zero at line 4."), "{ran:?}");
    }
}

const DIVIDES_BY_ZERO: &str = "int main(void) {
    int n = __VERIFIER_nondet_int(), by = 0;
    n = 12 / by;
    if (n == 5) reach_error();
    return 0;
}
";

const WRITES_THROUGH_NULL: &str = "int main(void) {
    int *p = 0;
    *p = 1;
    reach_error();
    return 0;
}
";

/// Nothing is left of a program that is undefined on every way: that a proof of it takes this to be defined is no assumption. Where some run divides by another number, it is one.
#[test]
fn an_assumption_that_no_run_keeps_is_none() {
    for text in [DIVIDES_BY_ZERO, WRITES_THROUGH_NULL] {
        let folder = Folder::new("check-never-kept");
        program(&folder, text);
        let ran = craig(&["check", "p.c"], &folder.0);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stdout.contains("no run is found that gets past this"), "{ran:?}");
        let kept = text.replace("by = 0;", "by = __VERIFIER_nondet_int();");
        if kept != text {
            program(&folder, &kept.replace("n == 5", "by == 0"));
            let ran = craig(&["check", "p.c"], &folder.0);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            assert!(ran.stdout.contains("Assuming no division by zero"), "{ran:?}");
        }
    }
}

/// That two pointers from outside do not lead to one object, nor to one of the program, is assumed, and so said.
#[test]
fn that_the_environment_gives_objects_of_its_own_is_said() {
    let apart = "a pointer that the environment gives is null or leads to an object of its own";
    let body = "extern int *g;
extern int x;
int main(void) {
    x = 1;
    if (g) *g = 2;
    if (x != 1) reach_error();
    return 0;
}
";
    let ran = check(body, &[], "check-apart");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains(apart), "{ran:?}");
    let ran = check(&body.replace("*g = 2", "x = 1"), &[], "check-apart-not");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("Nothing is assumed."), "{ran:?}");
}
