//! The last gate: runs against certificates, right ones and wrong ones, which the checker is not asked about here.

mod common;

use common::{at, boogie, c, object, proof, value, with_sorts};
use craig_base::Budget;
use craig_cfa::{Op, Program};
use craig_encode::Arith;
use craig_verdict::certificate::{Binding, Certificate, Invariants, NeverTaken, Proof};
use craig_verdict::check::Ground;
use craig_verdict::gate::{self, Contradicted, Contradiction, Runs};
use craig_verdict::{Reason, prove};

const BOTH: [Arith; 2] = [Arith::Int, Arith::Bv];

fn pass(program: &Program, certificate: &Certificate) -> Result<Runs, Box<Contradiction>> {
    let budget = Budget::unlimited();
    let ground = Ground::new(program, certificate, false, &budget).expect("no limit");
    gate::pass(program, &ground, certificate, false, &budget).map_err(|reason| match reason {
        Reason::Contradiction(found) => found,
        other => panic!("{other:?}"),
    })
}

fn against(program: &Program, arith: Arith, proof: Invariants) -> Result<Runs, Box<Contradiction>> {
    pass(program, &Certificate::new(arith, Proof::Invariants(proof)))
}

fn unwound(body: &str) -> Result<Runs, Box<Contradiction>> {
    pass(&c(body), &Certificate::new(Arith::Int, Proof::Unwinding))
}

#[test]
fn a_run_that_reaches_the_error() {
    let found = unwound("int main() {\n if (1) reach_error(); }").expect_err("the error is reached");
    assert_eq!(found.what, Contradicted::Error);
    assert!(found.values.is_empty() && found.run.choices.is_empty());
}

/// The ends of types, numbers of the program and their neighbours, small ones, several at once.
#[test]
fn values_that_matter_are_found() {
    let conditions = [
        "x == 0",
        "x == 1",
        "x == -1",
        "x == -2147483647 - 1",
        "x == 2147483647",
        "x == 123456",
        "x == 123457 && (x > 100)",
        "x == -77",
        "x > 1000000 && y < -1000000",
        "x == 2 && y == 3",
        "x == 5000 && y != x",
    ];
    for condition in conditions {
        let body = format!(
            "int main() {{ int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if ({condition}) reach_error(); }}"
        );
        let found = unwound(&body).expect_err(condition);
        assert_eq!(found.what, Contradicted::Error, "{condition}");
        assert_eq!(found.values.len(), 2, "{condition}");
    }
}

#[test]
fn the_choices_repeat_the_run() {
    let program = c(
        "int main() { int u, x = __VERIFIER_nondet_int(); int *p = malloc(8); if (x == 4711 && u > 1 && p[1] != 0) reach_error(); }",
    );
    let certificate = Certificate::new(Arith::Int, Proof::Unwinding);
    let found = pass(&program, &certificate).expect_err("the error is reached");
    let again = craig_verdict::replay(&program, &found.run, false, 1000, &Budget::unlimited());
    assert_eq!(again.expect("the same run").steps, found.steps);
}

const COUNT: &str = "int main() {\n int i = 0;\n while (__VERIFIER_nondet_int())\n  if (i < 5)\n   i++;\n if (i > 5) reach_error(); }";

#[test]
fn a_right_proof_passes() {
    let program = c(COUNT);
    for arith in BOTH {
        let formula = if arith == Arith::Int { "(<= i 5)" } else { "(bvsle i #x00000005)" };
        let given = with_sorts(&program, arith, proof(&program, &["i"], &[(4, formula)]));
        let certificate = Certificate::new(arith, Proof::Invariants(given));
        let seen = pass(&program, &certificate).expect("it is right");
        assert!(seen.runs >= 10 && seen.evaluated > 50 && seen.skipped == 0, "{seen:?}");
        assert_eq!(pass(&program, &certificate), Ok(seen), "the same runs");
        let checked = prove(&program, &certificate, false, &Budget::unlimited()).expect("it is right");
        assert!(checked.runs.runs >= 10);
    }
}

#[test]
fn an_invariant_that_is_false_on_a_run() {
    let program = c(COUNT);
    let found = against(&program, Arith::Int, proof(&program, &["i"], &[(4, "(and (<= 0 i) (<= i 3))")]));
    let found = found.expect_err("it is false");
    let Contradicted::Invariant { formula, values } = &found.what else { panic!("{found:?}") };
    assert_eq!(
        (formula.as_str(), values.as_slice()),
        ("(<= i 3)", &[("i".to_string(), "4".to_string())][..])
    );
    assert_eq!(found.span.map(|span| program.source.line(span)), Some(4));
    assert_eq!(found.values.len(), 4, "of four rounds");
    assert_eq!(
        against(&program, Arith::Int, proof(&program, &["i"], &[(4, "(and (<= 0 i) (<= i 3))")])),
        Err(found)
    );
    // Where it is false of all places at once.
    let everywhere =
        Invariants { common: vec!["(>= i 1)".into()], ..proof(&program, &["i"], &[(4, "(<= i 5)")]) };
    assert!(against(&program, Arith::Int, everywhere).is_err());
}

#[test]
fn a_loop_without_formula() {
    let program = c(COUNT);
    let found = against(&program, Arith::Int, Invariants::default()).expect_err("runs come there");
    assert_eq!(found.what, Contradicted::Unreached);
}

#[test]
fn an_edge_that_is_taken() {
    let program = c(COUNT);
    let whole = proof(&program, &["i"], &[(4, "(<= i 5)")]);
    let calls = whole.invariants[0].calls.clone();
    let (mut taken, mut left) = (0, 0);
    for (edge, _) in program.edges.iter_enumerated().filter(|(_, e)| matches!(e.op, Op::Assume(_))) {
        let never = vec![NeverTaken { edge: edge.index() as u32, calls: calls.clone() }];
        match against(&program, Arith::Int, Invariants { never, ..whole.clone() }) {
            Err(found) => {
                assert_eq!(found.what, Contradicted::Never { edge });
                taken += 1;
            }
            Ok(_) => left += 1,
        }
    }
    // Only the way to the error is never taken.
    assert!(taken >= 4 && left == 1, "{taken} {left}");
}

/// Runs that have no meaning say nothing.
#[test]
fn undefined_behaviour_ends_a_run() {
    for body in [
        "int main() { int x = 2147483647; x = x + 1; reach_error(); }",
        "int main() { int *p = 0; *p = 1; reach_error(); }",
        "int main() { int a[2]; a[0] = a[1] = 0; int *p = a; p[2] = 1; reach_error(); }",
        "int main() { int x = 0; x = 1 / x; reach_error(); }",
    ] {
        assert!(unwound(body).is_ok(), "{body}");
    }
    // In bit-vectors nothing overflows.
    let program = c("int main() { int x = 2147483647; x = x + 1; reach_error(); }");
    assert!(pass(&program, &Certificate::new(Arith::Bv, Proof::Unwinding)).is_err());
}

#[test]
fn what_is_not_modelled_is_not_reached() {
    let program = c("int main() { void *here = &&there; goto *here; there: return 0; }");
    let certificate = Certificate::new(Arith::Int, Proof::Unwinding);
    match pass(&program, &certificate) {
        Err(found) => assert!(matches!(found.what, Contradicted::Unsupported(_)), "{found:?}"),
        Ok(_) => {
            let reached = |e: &craig_cfa::Edge| matches!(e.op, Op::Unsupported(_));
            assert!(!program.edges.iter().any(reached), "an operation that is not modelled was passed");
        }
    }
}

/// Locals of several calls, fields, elements, pointers by the addresses of the certificate: true formulas pass, false ones do not.
#[test]
fn what_formulas_may_speak_of() {
    let program = c(
        "struct s { char tag; int v; unsigned char b; } s;\nint a[3];\nint *p = a;\nlong wide = -5;\n\
         void inner(int depth) {\n int k = depth + 1;\n while (__VERIFIER_nondet_int()) k = depth + 1;\n if (k == 0) reach_error(); }\n\
         int main() {\n int m = 7;\n s.v = 3; s.b = 200; a[1] = 9; p = a + 1;\n inner(m); if (*p == wide) reach_error(); }",
    );
    let field = |name: &str, offset: u64, word: i32| Binding {
        symbol: name.into(),
        sort: "Int".into(),
        leaves: vec![(object(&program, "s"), offset)],
        array: false,
        address: false,
        word: Some(word),
    };
    let element = Binding { leaves: vec![(object(&program, "a"), 4)], ..field("a1", 0, -32) };
    let symbols = || {
        let mut all: Vec<Binding> =
            ["m", "k", "depth", "p", "wide"].iter().map(|name| value(&program, name)).collect();
        all.extend([field("v", 4, -32), field("b", 8, 8), element.clone()]);
        all
    };
    let tried = |formula: &str| {
        let proof = Invariants {
            symbols: symbols(),
            addresses: vec![(object(&program, "a"), 0x8000)],
            invariants: vec![at(&program, 8, formula)],
            ..Invariants::default()
        };
        against(&program, Arith::Int, proof)
    };
    let right = [
        "(= m 7)",
        "(= k 8)",
        "(= depth m)",
        "(= v 3)",
        "(= b 200)",
        "(= a1 9)",
        "(= p 32772)",
        "(= wide (- 5))",
        "(= (mod k 8) 0)",
    ];
    for formula in right {
        let seen = tried(formula).unwrap_or_else(|found| panic!("{formula}: {found:?}"));
        assert!(seen.evaluated > 0 && seen.skipped == 0, "{formula}: {seen:?}");
        let wrong = tried(&format!("(not {formula})")).expect_err(formula);
        assert!(matches!(wrong.what, Contradicted::Invariant { .. }), "{formula}");
    }
    // Division by zero is anything: nothing can be said.
    let seen = tried("(= (div m (- k 8)) 1)").expect("it is skipped");
    assert!(seen.skipped > 0 && seen.evaluated == 0, "{seen:?}");
}

/// Whole arrays by address.
#[test]
fn arrays_by_address() {
    let program = c(
        "int a[3];\nint main() {\n int i = 0;\n while (__VERIFIER_nondet_int()) {\n  a[i] = i;\n  i = i < 2 ? i + 1 : 0;\n }\n if (a[0] != 0) reach_error(); }",
    );
    let tried = |formula: &str| {
        let leaves = vec![(object(&program, "a"), 0)];
        let sort = "(Array Int Int)".into();
        let proof = Invariants {
            symbols: vec![
                Binding { symbol: "a".into(), sort, leaves, array: true, address: false, word: Some(-32) },
                value(&program, "i"),
            ],
            addresses: vec![(object(&program, "a"), 0x8000)],
            invariants: vec![at(&program, 5, formula)],
            ..Invariants::default()
        };
        against(&program, Arith::Int, proof)
    };
    let seen = tried("(= (select a 32768) 0)").expect("it is right");
    assert!(seen.evaluated > 0 && seen.skipped == 0, "{seen:?}");
    let seen = tried("(<= (select a (+ 32768 (* 4 i))) 2)").expect("it is right");
    assert!(seen.evaluated > 0 && seen.skipped == 0, "{seen:?}");
    assert!(tried("(= (select a 32772) 0)").is_err());
    assert!(tried("(= (select a (+ 32768 (* 4 i))) 0)").is_err());
    // Outside the array it has no meaning.
    let seen = tried("(= (select a 0) 5)").expect("it is skipped");
    assert!(seen.skipped > 0 && seen.evaluated == 0, "{seen:?}");
}

/// A procedure's variable before it is set: formulas know its value from the call before, a run does not.
#[test]
fn variables_before_they_are_set() {
    let program = c(
        "int g;\nvoid f(void) {\n again: if (__VERIFIER_nondet_int()) goto again;\n int late = 5; g = late; }\nint main() {\n while (__VERIFIER_nondet_int()) f();\n if (g > 5) reach_error(); }",
    );
    let tried = |formula: &str| {
        let given = proof(&program, &["late", "g"], &[(4, formula), (7, "(<= g 5)")]);
        against(&program, Arith::Int, given)
    };
    let seen = tried("(= late 77)").expect("nothing is said of it");
    assert!(seen.skipped > 0 && seen.evaluated > 0, "{seen:?}");
    assert!(tried("(= g 77)").is_err());
}

/// Every access of a run is one that the layout knows of: fields, elements, rows, the heap, through pointers and directly, in calls.
#[test]
fn accesses_that_the_layout_knows_of() {
    let bodies = [
        "int a[4]; int main() { int *p = a; for (int i = 0; i < 4; i++) { p[i] = i; a[i] += 1; } if (a[3] != 4) reach_error(); }",
        "struct s { char t; int v[2]; struct { short h; } in[2]; } s, *p = &s; \
         int main() { for (int i = 0; i < 2; i++) { p->v[i] = i; s.in[i].h = p->v[i]; } if (s.in[1].h != 1) reach_error(); }",
        "int m[2][3]; int main() { for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) m[i][j] = i; if (m[1][2] != 1) reach_error(); }",
        "struct n { struct n *next; int v; }; int main() { struct n *l = 0; for (int i = 0; i < 3; i++) { struct n *n = malloc(sizeof *n); \
         n->next = l; n->v = i; l = n; } if (l->next->v != 1) reach_error(); }",
        "void set(int *p, int v) { *p = v; } int main() { int x, y; set(&x, 1); set(&y, 2); if (x + y != 3) reach_error(); }",
    ];
    for body in bodies {
        let seen = unwound(body).unwrap_or_else(|found| panic!("{body}\n{found:?}"));
        assert!(seen.accesses > 1, "{seen:?}\n{body}");
    }
}

#[test]
fn numbers_of_boogie() {
    let program = boogie(
        "var g: int;\nprocedure main() modifies g; {\n  g := 0;\n  while (*) {\n    g := g + 2;\n  }\n  assert g != 7; }",
    );
    let tried = |formula: &str| {
        let mut given = proof(&program, &["g"], &[(4, formula)]);
        given.symbols[0].sort = "Int".into();
        against(&program, Arith::Int, given)
    };
    let seen = tried("(= (mod g 2) 0)").expect("it is right");
    assert!(seen.evaluated > 0 && seen.skipped == 0, "{seen:?}");
    assert!(tried("(< g 6)").is_err());
}

/// A limit ends the gate; it is no verdict then.
#[test]
fn limits_are_kept() {
    let program = c(COUNT);
    let certificate =
        Certificate::new(Arith::Int, Proof::Invariants(proof(&program, &["i"], &[(4, "(<= i 5)")])));
    let budget = Budget::unlimited();
    let ground = Ground::new(&program, &certificate, false, &budget).expect("no limit");
    budget.cancel();
    let stopped = gate::pass(&program, &ground, &certificate, false, &budget);
    assert!(matches!(stopped, Err(Reason::Stopped(_))), "{stopped:?}");
}
