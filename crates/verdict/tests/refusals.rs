//! Certificates made by hand, and why the checker refuses them.

mod common;

use common::{at, boogie, c, checked, object, proof, said, value, words};
use craig_base::Budget;
use craig_cfa::{Op, Program, VarId};
use craig_encode::Arith;
use craig_encode::memory::ObjectKey;
use craig_verdict::certificate::{Binding, Certificate, Invariant, Invariants, NeverTaken, Object, Proof};
use craig_verdict::check;
use insta::assert_snapshot;

const COUNT: &str = "int main() {\n int i = 0;\n while (__VERIFIER_nondet_int())\n  if (i < 5)\n   i++;\n if (i > 5) reach_error(); }";

fn count(formula: &str) -> String {
    let program = c(COUNT);
    said(&program, Arith::Int, proof(&program, &["i"], &[(4, formula)]))
}

/// From the start to a head, from a head to itself, from a head to the error.
#[test]
fn what_does_not_follow() {
    assert_eq!(count("(<= i 5)"), "accepted");
    assert_snapshot!(count("(and (<= 1 i) (<= i 5))"), @r"certificate: the formula of line 4 does not follow from that of the start");
    assert_snapshot!(count("(<= i 3)"), @r"certificate: the formula of line 4 does not follow from that of line 4");
    assert_snapshot!(count("(<= i 6)"), @r"certificate: the formula of the error does not follow from that of line 4");
    assert_snapshot!(count("true"), @r"certificate: the formula of the error does not follow from that of line 4");
    assert_snapshot!(count("false"), @r"certificate: the formula of line 4 does not follow from that of the start");
    let program = c(COUNT);
    assert_snapshot!(said(&program, Arith::Int, Invariants::default()), @r"certificate: the formula of line 4 does not follow from that of the start");
}

#[test]
fn the_same_in_boogie() {
    let program = boogie(
        "var g: int;\nprocedure main() modifies g; {\n  g := 0;\n  while (*) {\n    g := g + 2;\n  }\n  assert g != 7; }",
    );
    let said = |formula: &str| said(&program, Arith::Int, proof(&program, &["g"], &[(4, formula)]));
    assert_eq!(said("(= (mod g 2) 0)"), "accepted");
    assert_snapshot!(said("(>= g 0)"), @r"certificate: the formula of the error does not follow from that of line 4");
    assert_snapshot!(said("(< g 7)"), @r"certificate: the formula of line 4 does not follow from that of line 4");
}

#[test]
fn formulas_that_cannot_be_read() {
    let said = ["(<= i 5", "(<= k 5)", "i", "(<= i true)", "(=> i)", "", "(<= i 5) (<= i 6)"].map(count);
    assert_snapshot!(said.join("\n"), @r"
    certificate: formula of line 4: 1:1: this parenthesis is not closed
    certificate: formula of line 4: 1:5: `k` is not declared
    certificate: formula of line 4: not a formula
    certificate: formula of line 4: 1:2: `<=` needs numbers
    certificate: formula of line 4: 1:2: `=>` needs Boolean arguments
    certificate: formula of line 4: 1:1: no term
    certificate: formula of line 4: 1:10: text after the term
    ");
    let program = c(COUNT);
    let broken = Invariants { common: vec!["(<= i".into()], ..proof(&program, &["i"], &[(4, "(<= i 5)")]) };
    assert_snapshot!(common::said(&program, Arith::Int, broken), @r"certificate: a formula cannot be read: 1:1: this parenthesis is not closed");
}

#[test]
fn symbols_that_stand_for_nothing() {
    let program = c(
        "int g;\nstruct s { int a; int b; } s;\nint main() {\n while (__VERIFIER_nondet_int()) s.a = s.b = g;\n if (g + s.a + s.b) reach_error(); }",
    );
    let said = |change: &dyn Fn(&mut Binding)| {
        let mut binding = value(&program, "g");
        change(&mut binding);
        let (symbols, invariants) = (vec![binding], vec![at(&program, 5, "(= g 0)")]);
        said(&program, Arith::Int, Invariants { symbols, invariants, ..Invariants::default() })
    };
    let none = "certificate: `g` is not a part of the program's state";
    assert_eq!(
        said(&|b| b.leaves[0].0 = Object(ObjectKey::Var(VarId::from_raw(99), Vec::new()))),
        none,
        "a variable that is not there"
    );
    assert_eq!(said(&|b| b.leaves[0].1 = 4), none, "behind its end");
    assert_eq!(said(&|b| b.word = Some(-16)), none, "another width");
    assert_eq!(said(&|b| b.word = None), none, "no machine integer");
    assert_eq!(said(&|b| b.array = true), none, "no array");
    // It is read, but says nothing that helps.
    let weak = said(&|b| b.leaves = vec![(object(&program, "s"), 4)]);
    assert_snapshot!(weak, @r"certificate: the formula of line 5 does not follow from that of line 5");
}

#[test]
fn locations_and_edges_that_are_not_there() {
    let program = c(COUNT);
    let whole = proof(&program, &["i"], &[(4, "(<= i 5)")]);
    let moved = |change: &dyn Fn(&mut Invariant)| {
        let mut proof = whole.clone();
        change(&mut proof.invariants[0]);
        said(&program, Arith::Int, proof)
    };
    assert_snapshot!(moved(&|i| i.location = 999), @r"certificate: the program has no such location (line 4)");
    assert_snapshot!(moved(&|i| i.calls = Vec::new()), @r"certificate: the program has no such location (line 4)");
    assert_snapshot!(moved(&|i| i.calls.push(0)), @r"certificate: the program has no such location (line 4)");
    // The error has no formula.
    assert_snapshot!(moved(&|i| (i.location, i.calls) = (program.error.index() as u32, Vec::new())), @r"certificate: the program has no such location (line 4)");
    let never = |edge: u32, calls: &[u32]| {
        let never = vec![NeverTaken { edge, calls: calls.to_vec() }];
        said(&program, Arith::Int, Invariants { never, ..whole.clone() })
    };
    let assumed =
        program.edges.iter().position(|e| matches!(e.op, Op::Assume(_))).expect("a condition") as u32;
    let assigned =
        program.edges.iter().position(|e| matches!(e.op, Op::Assign(..))).expect("an assignment") as u32;
    assert_eq!(never(999, &[]), "certificate: the program has no assumption on edge 999");
    assert!(never(assigned, &whole.invariants[0].calls).contains("has no assumption on edge"));
    assert!(never(assumed, &[]).contains("has no assumption on edge"), "under no call");
    assert_snapshot!(never(assumed, &whole.invariants[0].calls), @r"certificate: the formula of the error does not follow from that of line 4");
}

#[test]
fn unwinding() {
    let unwound = |body: &str| {
        let certificate = Certificate::new(Arith::Int, Proof::Unwinding);
        words(check(&c(body), &certificate, false, &Budget::unlimited()))
    };
    let bounded =
        "int main() {\n int s = 0;\n for (int i = 0; i < 4; i++) s += i;\n if (s != 6) reach_error(); }";
    assert_eq!(unwound(bounded), "accepted");
    assert_snapshot!(unwound(&bounded.replace("s != 6", "s == 6")), @r"certificate: unwinding reaches the error");
    assert_snapshot!(unwound("int f(int n) { return n ? f(n - 1) : 0; }\nint main() { if (f(2)) reach_error(); }"), @r"recursion: f");
}

#[test]
fn the_budget_ends() {
    let certificate = Certificate::new(Arith::Int, Proof::Unwinding);
    let limited = Budget::unlimited().with_work(1_000_000);
    assert_eq!(words(check(&c(COUNT), &certificate, false, &limited)), "work limit");
}

/// Claims that no run supports do not make a program safe: formulas of every location, edges that are never taken, nothing at all.
#[test]
fn no_claim_makes_an_unsafe_program_safe() {
    let programs = [
        c("int main() {\n int i = 0;\n while (i < 3) i++;\n if (i == 3) reach_error(); }"),
        c(
            "int f(int x) { while (__VERIFIER_nondet_int()) x++; return x; }\nint main() { if (f(1) == 5) reach_error(); }",
        ),
        c("int main() { again: if (__VERIFIER_nondet_int() == 3) reach_error(); goto again; }"),
        boogie("var g: int;\nprocedure main() modifies g; { again: g := g + 1; assert g != 9; goto again; }"),
    ];
    for program in &programs {
        let strings = strings(program);
        let everywhere = |formula: &str| {
            let at = |calls: &Vec<u32>| {
                let formula = formula.to_string();
                let locs = 0..program.locs.len() as u32;
                locs.map(move |location| Invariant {
                    location,
                    calls: calls.clone(),
                    line: 0,
                    formula: formula.clone(),
                })
                .collect::<Vec<_>>()
            };
            strings.iter().flat_map(at).collect::<Vec<Invariant>>()
        };
        let nevers: Vec<NeverTaken> = strings
            .iter()
            .flat_map(|calls| {
                (0..program.edges.len() as u32).map(|edge| NeverTaken { edge, calls: calls.clone() })
            })
            .collect();
        let mut proofs = vec![Invariants::default()];
        for formula in ["true", "false"] {
            let all = everywhere(formula);
            let there: Vec<Invariant> = all.into_iter().filter(|i| exists(program, i)).collect();
            for one in &there {
                proofs.push(Invariants { invariants: vec![one.clone()], ..Invariants::default() });
            }
            let common = vec!["false".to_string()];
            proofs.push(Invariants { invariants: there.clone(), common, ..Invariants::default() });
            proofs.push(Invariants { invariants: there, ..Invariants::default() });
        }
        let trues: Vec<Invariant> = everywhere("true").into_iter().filter(|i| exists(program, i)).collect();
        for never in nevers {
            let invariants = trues.clone();
            proofs.push(Invariants { never: vec![never.clone()], ..Invariants::default() });
            proofs.push(Invariants { never: vec![never], invariants, ..Invariants::default() });
        }
        assert!(proofs.len() > 20);
        for proof in proofs {
            assert!(
                checked(program, Arith::Int, proof.clone()).is_err(),
                "{proof:?}\n{}",
                program.source.text()
            );
        }
    }
}

/// All strings of calls, for programs that call each procedure once.
fn strings(program: &Program) -> Vec<Vec<u32>> {
    let call = |(id, edge): (usize, &craig_cfa::Edge)| matches!(edge.op, Op::Call(_)).then_some(id as u32);
    let calls: Vec<u32> = program.edges.iter().enumerate().filter_map(call).collect();
    let one = calls.iter().map(|e| vec![*e]);
    let two = calls.iter().flat_map(|a| calls.iter().map(|b| vec![*a, *b]));
    [vec![]].into_iter().chain(one).chain(two).collect()
}

/// Does the checker know the location?
fn exists(program: &Program, invariant: &Invariant) -> bool {
    let proof = Invariants { invariants: vec![invariant.clone()], ..Invariants::default() };
    !said(program, Arith::Int, proof).contains("no such location")
}
