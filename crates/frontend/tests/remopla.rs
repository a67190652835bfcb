//! Remopla programs under the interpreter: what each construct does, in both readings of what does not fit.

use craig_base::Budget;
use craig_cfa::interp::{self, Config, Random, RunEnd, Zero};
use craig_cfa::{Program, verify};
use craig_frontend::remopla::load_text;
use craig_frontend::{Loops, Overflow, Property, Reading, load};
use std::path::Path;

const SEEDS: u64 = 100;

fn program(text: &str, reading: &Reading) -> Program {
    let program = load_text("test.rem", text, reading, &Budget::unlimited())
        .unwrap_or_else(|e| panic!("{text}\n{e:?}"))
        .program;
    verify::verify(&program).unwrap_or_else(|v| panic!("{text}\n{v:#?}"));
    program
}

fn run(program: &Program, seed: Option<u64>) -> RunEnd {
    let config = Config { steps: 20_000, ..Config::default() };
    match seed {
        Some(seed) => interp::run(program, &config, &mut Random::new(seed), &mut Vec::new()).end,
        None => interp::run(program, &config, &mut Zero, &mut Vec::new()).end,
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Ends {
    ended: usize,
    blocked: usize,
    errors: usize,
}

/// How often runs end in each way.
fn ends(text: &str, reading: &Reading) -> Ends {
    let program = program(text, reading);
    let mut found = Ends { ended: 0, blocked: 0, errors: 0 };
    for seed in (0..SEEDS).map(Some).chain([None]) {
        match run(&program, seed) {
            RunEnd::Ended { .. } => found.ended += 1,
            RunEnd::Blocked => found.blocked += 1,
            RunEnd::Error => found.errors += 1,
            other => panic!("{text}\n{other:?}"),
        }
    }
    found
}

const VARIABLES: &str = "int x(3), y(3), z(3), a[3](3), q[2,4](3), m[2][3](3); bool b, c;\n";

/// Every run of the body ends, with the condition true.
fn holds(body: &str, condition: &str, reading: &Reading) {
    let text = format!(
        "{VARIABLES} module void main() {{ {body} if :: {condition} -> return; :: else -> skip; fi error: skip; }}"
    );
    let found = ends(&text, reading);
    assert!(found.errors == 0 && found.blocked == 0, "{text}\n{found:?}");
}

/// Some runs of the body end, all of those with the condition true.
fn holds_or_blocks(body: &str, condition: &str) {
    let text = format!(
        "{VARIABLES} module void main() {{ {body} if :: {condition} -> return; :: else -> skip; fi error: skip; }}"
    );
    let found = ends(&text, &block());
    assert!(found.errors == 0 && found.ended > 20, "{text}\n{found:?}");
}

/// No run gets past the body.
fn blocks(body: &str, reading: &Reading) {
    let text = format!("{VARIABLES} module void main() {{ {body} error: skip; }}");
    let found = ends(&text, reading);
    assert!(found.errors == 0 && found.ended == 0, "{text}\n{found:?}");
}

fn block() -> Reading {
    Reading::default()
}

fn wrap() -> Reading {
    Reading { overflow: Overflow::Wrap, ..Reading::default() }
}

fn leave() -> Reading {
    Reading { loops: Loops::Leave, ..Reading::default() }
}

#[test]
fn every_construct() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/remopla/constructs.rem");
    for reading in [block(), wrap()] {
        let program = load(&path, &reading, &Budget::unlimited()).unwrap_or_else(|e| panic!("{e:?}")).program;
        let mut ended = 0;
        for seed in 0..SEEDS {
            match run(&program, Some(seed)) {
                RunEnd::Ended { .. } => ended += 1,
                // An enumeration got none of its names.
                RunEnd::Blocked => {}
                other => panic!("seed {seed}: {other:?}"),
            }
        }
        assert!(ended > 5, "{ended}");
    }
}

#[test]
fn what_does_not_fit() {
    for (body, wrapped) in [
        ("x = 7; x = x + 1;", "x == 0"),
        ("x = 0; x = x - 1;", "x == 7"),
        ("x = 5; y = x * 3;", "y == 7"),
        ("x = 1; x = x << 3;", "x == 0"),
        ("A i (0,2) a[i] = i; x = 6; y = a[x];", "y == 2"),
        ("x = 7; a[x - 7 - 1] = 5;", "a[3] == 5"),
        ("q[2] = 3; x = 6; y = q[x];", "y == 3"),
        ("q[5] = 3;", "q[5] == 3 && q[1] == 3"),
        ("x = f(7);", "x == 0"),
        ("x = f(8);", "x == 1"),
        ("x = g(7);", "x == 6"),
    ] {
        let modules =
            "module int(3) f(int n(3)) { return n + 1; } module int(4) g(int n(3)) { return n + n; }";
        let text = format!("{modules} {VARIABLES}");
        let run = |end: &str, reading: &Reading| {
            let text = format!("{text} module void main() {{ {body} {end} error: skip; }}");
            ends(&text, reading)
        };
        let found = run("", &block());
        assert!(found.errors == 0 && found.ended == 0, "{body}: {found:?}");
        let found = run(&format!("if :: {wrapped} -> return; :: else -> skip; fi"), &wrap());
        assert!(found.errors == 0 && found.blocked == 0, "{body}: {found:?}");
    }
    for reading in [block(), wrap()] {
        // What is never stored may be anything.
        holds("x = 7; y = 6;", "x + y == 13 && x * y == 42 && y - x + 1 == 0 && x << y == 448", &reading);
        holds("x = 7; y = 6; x = x + y - 8;", "x == 5", &reading);
        blocks("x = 0; y = y / x;", &reading);
        blocks("x = 0; y = y mod x;", &reading);
        blocks("x = 1; y = 1 << (x - 2);", &reading);
        holds("x = 0; b = x != 0 && y / x == 1;", "!b", &reading);
        holds("x = 0; b = x == 0 || y / x == 1;", "b", &reading);
    }
    // A condition without a value is neither true nor false.
    blocks("x = 3; if :: a[x] == 0 -> skip; :: else -> skip; fi", &block());
    blocks("x = 3; do :: a[x] == 0 -> skip; od", &leave());
    // Others may hold all the same.
    holds("x = 3; y = 1; if :: a[x] == 0 -> y = 2; :: x == 3 -> y = 3; fi", "y == 3", &block());
}

#[test]
fn assignments_happen_at_once() {
    let reading = block();
    holds("x = 1; y = 2; x = y, y = x;", "x == 2 && y == 1", &reading);
    holds("x = 1; y = 2; z = 3; x = y, y = z, z = x;", "x == 2 && y == 3 && z == 1", &reading);
    holds("x = 1; a[1] = 5; a[2] = 6; x = 2, a[x] = 7;", "x == 2 && a[1] == 7 && a[2] == 6", &reading);
    holds("A i (0,2) a[i] = i; A i (0,1) a[i] = a[i + 1];", "a[0] == 1 && a[1] == 2 && a[2] == 2", &reading);
    holds("A i (0,2) a[i] = i; A i (1,2) a[i] = a[i - 1];", "a[0] == 0 && a[1] == 0 && a[2] == 1", &reading);
    holds("A i (0,2) a[i] = i; x = 0; y = 2; a[x] = a[y], a[y] = a[x];", "a[0] == 2 && a[2] == 0", &reading);
    holds("A i (0,1) A j (0,2) m[i][j] = 2 * i + j;", "A i (0,1) A j (0,2) (m[i][j] == 2 * i + j)", &reading);
    // What is chosen may be the wrong value, and then there is no successor.
    holds_or_blocks("x = 3; x != x;", "x != 3");
    holds_or_blocks("x = 3; y = 3; x != y, y = 4;", "x != 3 && y == 4");
    holds_or_blocks("A i (0,2) a[i] = 0; a[a[0]] != a[0];", "a[0] != 0 && a[1] == 0 && a[2] == 0");
    holds("b = true; b != b;", "!b", &reading);
    holds("x = 3; x = undef, y = x;", "y == 3", &reading);
    holds("A i (0,2) a[i] = 0; a[a[0]] = undef;", "a[1] == 0 && a[2] == 0", &reading);
    holds("A i (0,2) a[i] = 0; E i (0,2) a[i] = 4;", "a[0] + a[1] + a[2] == 4", &reading);
    holds(
        "A i (0,2) a[i] = 0; E i (0,2) E j (1,2) a[i] = j;",
        "E i (0,2) (a[i] == 1 || a[i] == 2)",
        &reading,
    );
}

#[test]
fn calls_take_assignments_along() {
    let modules = "int g(3); module int(3) next(int n(3)) { g = g + 1; return n + 1; } \
                   module int(3) sum(int n(3)) { int rest(3); if :: n == 0 -> return 0; :: else -> skip; fi \
                   rest = sum(n - 1); return rest + n; }\n";
    let check = |body: &str, condition: &str| {
        let text = format!(
            "{modules} {VARIABLES} module void main() {{ {body} if :: {condition} -> return; :: else -> skip; fi error: skip; }}"
        );
        let found = ends(&text, &block());
        assert!(found.errors == 0 && found.blocked == 0, "{body}: {found:?}");
    };
    check("g = 0; x = next(2);", "g == 1 && x == 3");
    check("g = 0; x = 2; y = next(x), x = 5;", "x == 5 && y == 3");
    check("g = 0; x = 2; y = next(x), g = 4, x = 0;", "x == 0 && y == 3 && g == 5");
    // The place of the result is found when the callee has returned.
    check("g = 0; A i (0,2) a[i] = 0; a[g] = next(2);", "a[0] == 0 && a[1] == 3");
    check("x = sum(3);", "x == 6");
    check("g = 0; next(1);", "g == 1");
    check("x = 1; goto l, x = x + 1, y = x; l: skip;", "x == 2 && y == 1");
}

/// Labels that some run reaches.
fn reached(text: &str, labels: &[&str], reading: &Reading) -> Vec<String> {
    let reaches = |label: &str| {
        let reading = Reading { property: Property::Label(label.into()), ..reading.clone() };
        ends(text, &reading).errors > 0
    };
    labels.iter().filter(|l| reaches(l)).map(ToString::to_string).collect()
}

#[test]
fn any_alternative_that_holds_is_taken() {
    let labels = ["l0", "l1", "l2", "l3"];
    let text = |x: u32, guards: [&str; 3], otherwise: &str| {
        format!(
            "int x(3); module void main() {{ x = {x}; if :: {} -> l0: skip; :: {} -> l1: skip; :: {} -> l2: skip; {otherwise} fi }}",
            guards[0], guards[1], guards[2]
        )
    };
    let otherwise = ":: else -> l3: skip;";
    let all = ["true"; 3];
    assert_eq!(reached(&text(0, all, otherwise), &labels, &block()), ["l0", "l1", "l2"]);
    let overlapping = ["x < 3", "x > 1", "x == 2"];
    for (x, expected) in [(0, vec!["l0"]), (2, vec!["l0", "l1", "l2"]), (5, vec!["l1"])] {
        let text = text(x, overlapping, otherwise);
        assert_eq!(reached(&text, &labels, &block()), expected);
        // No run gets stuck where an alternative holds.
        assert_eq!(ends(&text, &block()).blocked, 0);
    }
    let constants = ["x == 0", "x == 1", "x == 2"];
    assert_eq!(reached(&text(1, constants, otherwise), &labels, &block()), ["l1"]);
    assert_eq!(reached(&text(4, constants, otherwise), &labels, &block()), ["l3"]);
    assert_eq!(ends(&text(4, constants, ""), &block()).ended, 0);
}

#[test]
fn loops_end_or_stop() {
    let text = "int x(3); module void main() { x = 3; do :: x > 0 -> x = x - 1; od }";
    assert_eq!(ends(text, &block()).ended, 0);
    assert_eq!(ends(text, &leave()).blocked, 0);
    for reading in [block(), leave()] {
        holds("x = 3; do :: x > 0 -> x = x - 1; :: else -> break; od", "x == 0", &reading);
    }
}

#[test]
fn variables_begin_arbitrary() {
    let text = "int g(1); bool c; module void f() { int l(1); if :: l == 0 -> l0: skip; :: else -> l1: skip; fi } \
                module void main() { f(); if :: g == 0 -> g0: skip; :: else -> g1: skip; fi if :: c -> c1: skip; :: else -> c0: skip; fi }";
    let labels = ["l0", "l1", "g0", "g1", "c0", "c1"];
    assert_eq!(reached(text, &labels, &block()), labels);
    // An enumeration holds one of its names.
    let text = "enum e { one, two, three }; enum e x[2]; module void main() { if :: x[1] == one -> l0: skip; \
                :: x[1] == two -> l1: skip; :: x[1] == three -> l2: skip; :: else -> l3: skip; fi }";
    assert_eq!(reached(text, &["l0", "l1", "l2", "l3"], &block()), ["l0", "l1", "l2"]);
}

/// Figure 2.2: the procedure makes G zero for even P, and P is even.
#[test]
fn rules_are_steps() {
    let rules = |first: &str| {
        format!(
            "int G(8), L(8), P(8); init q <m0>;\n\
             q <m0> --> q <m1> (L' == {first})\n\
             q <m1> --> q <f0 m2> (P' == L && G' == 77)\n\
             q <m2> --> q <error> (G != 0)\n\
             q <m2> --> q <good> (G == 0)\n\
             q <f0> --> q <f1> (P mod 2 == 0)\n\
             q <f0> --> q <f2> (P mod 2 != 0)\n\
             q <f1> --> q <f3> (P' == 0)\n\
             q <f2> --> q <f3> (P' == 51)\n\
             q <f3> --> q < > (G' == P)\n\
             q <good> --> q < >"
        )
    };
    assert_eq!(reached(&rules("(L mod 4) * 2"), &["error", "good", "f1", "f2"], &block()), ["good", "f1"]);
    assert_eq!(reached(&rules("(L mod 4) * 2 + 1"), &["error", "good", "f2"], &block()), ["error", "f2"]);
    // Control states, a module that is called, a stack to begin with, recursion.
    let text = "int n(3); module void count(int by(2)) { n = n + by; }\n\
                init q <down up>;\n\
                q <down> --> q <down back> (n > 0 && n' == n - 1)\n\
                q <down> --> p < > (n == 0)\n\
                p <back> --> p < >\n\
                p <up> --> r <count done> (by' == 2)\n\
                q <up> --> q <never>\n\
                r <done> --> r <two> (n == 2)\n\
                r <done> --> r <other> (n != 2)";
    assert_eq!(reached(text, &["two", "other", "never"], &block()), ["two"]);
}

/// A rule for a label in a module is one more way to go on from there.
#[test]
fn rules_stand_beside_statements() {
    let text = |body: &str, rules: &str| {
        format!(
            "{VARIABLES} module void main() {{ int l(3), x(3); l = 1, x = 2, y = 3, z = 4; {body} }}\n{rules}"
        )
    };
    // Either of them; `skip` says when it is the statement. Names without a prime keep their values, a local hides a global.
    let labels = ["l1", "l2", "l3", "error"];
    for (at, expected) in [
        ("x = 5;", vec!["l1", "l2"]),
        ("skip;", vec!["l2", "l3"]),
        ("skip (false);", vec!["l2"]),
        ("skip (l == 1);", vec!["l2", "l3"]),
        ("skip (l == 2);", vec!["l2"]),
        ("return;", vec!["l2"]),
    ] {
        let body = format!(
            "a: {at} b: if :: l == 1 && x == 5 && y == 3 -> l1: return; :: l == 3 && x == 2 && y == 3 && z == 7 -> l2: return; \
             :: l == 1 && x == 2 && z == 4 -> l3: return; :: else -> error: skip; fi"
        );
        let text = text(&body, "q <a> --> q <b> (z' == 7 && l' == l + x && x < 3)\nq <a> --> q <b> (l > 1)");
        assert_eq!(reached(&text, &labels, &block()), expected, "{at}");
    }
    // The name of a module is the label of its first statement, the label of a loop its head; a rule may return.
    let around = "module void f() { do :: y < 6 -> y = y + 1; :: else -> skip (false); od }\n\
                  q <f> --> q < > (y == 5 && z' == 0)";
    let body = "f(); if :: y == 5 && z == 0 -> l1: skip; :: else -> l2: skip; fi";
    assert_eq!(reached(&text(body, around), &labels[..2], &block()), ["l1"]);
    // Behind the last statement.
    let end = "x = 0; end:";
    assert_eq!(
        reached(&text(end, "q <end> --> q <s end>\nq <s> --> q <error> (y == 3)"), &["error"], &block()),
        ["error"]
    );
    // Control states are for rules only.
    let states =
        "init p <main>; p <a> --> q <a>\nq <a> --> r <b> (l' == 0)\np <b> --> p <l2>\nr <b> --> r <l1>";
    let body = "a: skip (false); b: skip (false); l1: skip (false); l2: skip;";
    assert_eq!(reached(&text(body, states), &labels[..2], &block()), ["l1"]);
}

/// One prime: globals, and the variables of the module that is called; two primes: those of the caller.
#[test]
fn rules_in_modules_call() {
    let text = |rule: &str, condition: &str| {
        format!(
            "int g(3); module void f(int p(3), bool c) {{ int l(3), a[2](2); int m(3); \
             if :: {condition} -> good: skip; :: else -> bad: skip; fi }}\n\
             module void main() {{ int x(3), p(3); x = 1, p = 2, g = 3; a: skip (false); \
             b: if :: x == 1 && p == 2 -> same: skip; :: x == 5 && p == 2 -> x5: skip; :: x == 1 && p == 5 -> p5: skip; \
             :: else -> others: skip; fi }}\n{rule}"
        )
    };
    let labels = ["good", "bad", "same", "x5", "p5", "others"];
    for (rule, condition, expected) in [
        ("", "g == 3", vec!["good", "same"]),
        ("(g' == x)", "g == 1", vec!["good", "same"]),
        ("(p' == x + p)", "p == 3 && g == 3", vec!["good", "same"]),
        ("(p'' == p + g)", "p == 5", vec!["good", "bad", "p5"]),
        ("(p' == 4 && p'' == 5 && l' == p)", "p == 4 && l == 2", vec!["good", "p5"]),
        ("(l' == 1 && x'' == 5 && c')", "c && l == 1", vec!["good", "x5"]),
        ("(a'[0] == 1 && a'[1] == 2)", "a[0] == 1 && a[1] == 2", vec!["good", "same"]),
        ("(l' == 1)", "l == 1", vec!["good", "same"]),
        ("(l' == 1)", "m == 1", vec!["good", "bad", "same"]),
        ("(p == 2)", "p == 1", vec!["good", "bad", "same"]),
        ("(p == 3)", "true", vec![]),
    ] {
        let text = text(&format!("q <a> --> q <f b> {rule}"), condition);
        assert_eq!(reached(&text, &labels, &block()), expected, "{rule} {condition}");
    }
    // A local that a rule speaks of is arbitrary for all other calls, and where runs begin.
    let text = "int g(2); module int(2) f() { int l(1); if :: g == 0 -> g0: return l; :: g == 1 && l == 0 -> l0: return l; \
                :: g == 1 && l == 1 -> l1: return l; :: g == 2 && l == 0 -> error: return l; :: else -> l2: return l; fi } \
                module void main() { int r(2); a: g = 1; r = f(); skip (false); b: skip; }\n\
                q <a> --> q <f b> (g' == 2 && l' == 1)";
    assert_eq!(reached(text, &["g0", "l0", "l1", "error", "l2"], &block()), ["l0", "l1", "l2"]);
    let entry = Reading { entry: Some("f".into()), ..block() };
    assert_eq!(reached(text, &["g0", "l0", "l1", "error"], &entry), ["g0", "l0", "l1", "error"]);
    // A module that calls itself has variables of the same names on both sides.
    let text = "int s(4); module void sum(int n(3)) { s0: skip (n == 0); return; s1: s = s + n; }\n\
                module void main() { s = 0; sum(3); if :: s == 6 -> good: skip; :: else -> bad: skip; fi }\n\
                q <s0> --> q <sum s1> (n > 0 && n' == n - 1)";
    assert_eq!(reached(text, &["good", "bad"], &block()), ["good"]);
    let other = text.replace("n' == n - 1", "n' == n - 1 && n'' == 0");
    assert_eq!(reached(&other, &["good", "bad"], &block()), ["bad"]);
}

/// Pseudo-random numbers (xorshift).
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// A random expression over x and y with its value; `None`: it has none.
fn expression(rng: &mut Rng, depth: u32, x: i128, y: i128) -> (String, Option<i128>) {
    if depth == 0 || rng.below(6) == 0 {
        let n = i128::from(rng.below(12));
        return match rng.below(3) {
            0 => ("x".into(), Some(x)),
            1 => ("y".into(), Some(y)),
            _ => (n.to_string(), Some(n)),
        };
    }
    let (a, v) = expression(rng, depth - 1, x, y);
    let (b, w) = expression(rng, depth - 1, x, y);
    let both = |f: fn(i128, i128) -> Option<i128>| v.zip(w).and_then(|(v, w)| f(v, w));
    let (op, value) = match rng.below(10) {
        0 => ("+", both(|v, w| Some(v + w))),
        1 => ("-", both(|v, w| Some(v - w))),
        2 => ("*", both(|v, w| Some(v * w))),
        3 => ("/", both(i128::checked_div)),
        4 => ("mod", both(i128::checked_rem)),
        5 => ("&", both(|v, w| Some(v & w))),
        6 => ("|", both(|v, w| Some(v | w))),
        7 => ("^", both(|v, w| Some(v ^ w))),
        8 => (">>", both(|v, w| (w >= 0).then(|| v >> w.min(127)))),
        _ => ("<<", both(|v, w| (0..64).contains(&w).then(|| v << w))),
    };
    (format!("({a} {op} {b})"), value)
}

#[test]
fn arithmetic_is_exact() {
    let mut rng = Rng(11);
    let (mut valued, mut undefined, mut wide) = (0, 0, 0);
    for _ in 0..600 {
        let (x, y) = (i128::from(rng.below(16)), i128::from(rng.below(16)));
        let (expression, value) = expression(&mut rng, 3, x, y);
        let value = value.filter(|v| v.unsigned_abs() < 1 << 60);
        // There are no negative numbers in the text.
        let expected = value.unwrap_or(0);
        let (plus, sum) = if expected < 0 { (-expected, 0) } else { (0, expected) };
        let text = format!(
            "int x(4), y(4); module void main() {{ x = {x}; y = {y}; if :: {expression} + {plus} == {sum} -> good: skip; \
             :: else -> bad: skip; fi }}"
        );
        let reading = |label: &str| Reading { property: Property::Label(label.into()), ..block() };
        let Ok(loaded) = load_text("t.rem", &text, &reading("good"), &Budget::unlimited()) else {
            wide += 1;
            continue;
        };
        verify::verify(&loaded.program).unwrap_or_else(|v| panic!("{text}\n{v:#?}"));
        let end = run(&loaded.program, None);
        match value {
            Some(_) => {
                assert_eq!(end, RunEnd::Error, "{text}");
                valued += 1;
            }
            None if matches!(end, RunEnd::Blocked) => undefined += 1,
            None => {}
        }
    }
    assert!(valued > 300 && undefined > 30 && wide < 200, "{valued} {undefined} {wide}");
}

/// Every Remopla file of the folder that `CRAIG_REMOPLA` names is read, in both readings and both dialects.
#[test]
fn files_of_a_folder_are_read() {
    let Some(folder) = std::env::var_os("CRAIG_REMOPLA") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "rem"));
    assert!(!files.is_empty());
    for path in files {
        for reading in [block(), wrap(), leave()] {
            let loaded = load(&path, &reading, &Budget::unlimited());
            let program = loaded.unwrap_or_else(|e| panic!("{}: {e:?}", path.display())).program;
            verify::verify(&program).unwrap();
        }
    }
}
