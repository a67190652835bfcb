//! Programs with contracts in place of their recursive calls.

mod common;

use common::{boogie, c};
use craig_cfa::verify::verify;
use craig_cfa::{Op, Program, graph};
use craig_encode::Arith;
use craig_verdict::Reason;
use craig_verdict::certificate::{Invariant, Procedures, Summary, Symbol};
use craig_verdict::relations::{recursive, related};

const COUNT: &str = "int g; int f(int n) { g++; return n > 0 ? f(n - 1) : n; } \
    int main() { int x = f(__VERIFIER_nondet_int()); if (x > 0 || g == 0) reach_error(); }";

fn var(program: &Program, name: &str) -> craig_cfa::VarId {
    let found = program.vars.iter_enumerated().find(|(_, var)| &*var.name == name);
    found.expect("a variable of this name").0
}

/// What `f` needs and does, over `n`, `old(g)`, `g` and `r`.
fn contract(program: &Program, needs: &str, does: &str) -> Procedures {
    let f = program.proc_by_name("f").expect("it is there");
    let (n, g) = (var(program, "n"), var(program, "g"));
    let symbols = [
        Symbol::entry(program, Arith::Int, "n", n, 0),
        Symbol::entry(program, Arith::Int, "old", g, 0),
        Symbol::now(program, Arith::Int, "g", g, 0),
        Symbol::result(program, Arith::Int, "r", program.procs[f].ret, 0),
    ];
    Procedures {
        symbols: symbols.into_iter().map(|symbol| symbol.expect("a number")).collect(),
        invariants: vec![Invariant::new(program.procs[f].entry, &[], 1, needs.into())],
        summaries: vec![Summary::new(program, f, does.into())],
    }
}

#[test]
fn a_call_is_its_contract() {
    let program = c(COUNT);
    let contract = contract(&program, "(>= n (- 5))", "(and (> g old) (= (mod r 2) 0))");
    let made = related(&program, &contract).expect("numbers only");
    assert_eq!(verify(&made.program), Ok(()));
    assert!(!graph::call_graph(&made.program).recursive.iter().any(|recursive| *recursive));
    // What the source program has keeps its number.
    for (id, edge) in program.edges.iter_enumerated() {
        let same = made.program.edges[id].op == edge.op;
        assert!(same || matches!(&edge.op, Op::Call(call) if &*program.procs[call.proc].name == "f"));
    }
    assert_eq!(made.first, program.edges.next_idx());
    insta::assert_snapshot!(made.program);
}

#[test]
fn contracts_are_of_recursive_procedures() {
    let program = c(COUNT);
    let recursive = recursive(&program).expect("numbers only");
    let names: Vec<&str> = recursive.keys().map(|proc| &*program.procs[*proc].name).collect();
    assert_eq!(names, ["f"]);
    assert!(recursive.values().all(|touched| touched.contains(&var(&program, "g"))));
    // Too large, of no integer, with what has no words.
    for wrong in ["(= n 99999999999999999999)", "(= n (* n n n", "(= (div n 2) 3)", "n", "(= x 1)"] {
        assert!(related(&program, &contract(&program, wrong, "true")).is_err(), "{wrong}");
        assert!(related(&program, &contract(&program, "true", wrong)).is_err(), "{wrong}");
    }
    // Where it is entered nothing has returned.
    assert!(related(&program, &contract(&program, "(= r 1)", "true")).is_err());
}

#[test]
fn mathematical_integers() {
    let program = boogie(
        "var g: int; procedure f(n: int) returns (r: int) modifies g; { g := g + 1; r := 0; if (n > 0) { call r := f(n - 1); } } \
         procedure main() modifies g; { var x: int; call x := f(3); assert x == 0; }",
    );
    let made = related(&program, &contract(&program, "true", "(and (> g old) (= (mod r 3) 0))"));
    assert_eq!(verify(&made.expect("numbers only").program), Ok(()));
}

/// What calls change would not be known by name.
#[test]
fn recursion_with_pointers_is_refused() {
    for body in [
        "void f(int *p) { if (*p) f(p); } int main() { int n = 0; f(&n); }",
        "int *p; void f(int n) { p = 0; if (n) f(n - 1); } int main() { f(3); }",
        "void f(int n) { int x; int *p = &x; *p = n; if (x) f(n - 1); } int main() { f(3); }",
        "void f(int n) { malloc(n); if (n) f(n - 1); } int main() { f(3); }",
        "int *f(int n) { return n ? f(n - 1) : 0; } int main() { f(3); }",
        "struct s { int n; int *p; } g; void f(int n) { g.n = n; if (n) f(n - 1); } int main() { f(3); }",
        "void f(void (*h)(void), int n) { h(); if (n) f(h, n - 1); } void k(void) { } int main() { f(k, 3); }",
    ] {
        let found = recursive(&c(body));
        assert!(matches!(found, Err(Reason::Unsupported { .. })), "{body}");
    }
    // Elsewhere they do no harm.
    let beside = "int f(int n) { return n ? f(n - 1) : 0; } int main() { int *p = malloc(4); *p = f(3); }";
    assert_eq!(recursive(&c(beside)).expect("no pointers in it").len(), 1);
}
