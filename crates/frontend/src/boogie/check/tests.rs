use super::super::hir::{ExprKind, StmtKind};
use super::super::parse;
use super::*;
use crate::Fault;

fn check(text: &str) -> Result<Hir, Diagnostic> {
    let budget = Budget::unlimited();
    parse::parse(text, &budget).and_then(|decls| super::check(&decls, &budget)).map_err(|fault| match fault {
        Fault::Wrong(diagnostic) => *diagnostic,
        Fault::Stopped(stop) => panic!("{stop}"),
    })
}

fn checked(text: &str) -> Hir {
    check(text).unwrap_or_else(|d| panic!("{text}: {d}"))
}

fn refused(text: &str) -> (String, &str) {
    let d = check(text).expect_err(text);
    let span = d.span.unwrap();
    (d.message, &text[span.start as usize..span.end as usize])
}

#[test]
fn synonyms_are_expanded_in_any_order() {
    let hir = checked(
        "type A = [B]C int; type B = bv8; type C a = [a]T a; type T b; var x: A; var y: [bv8][int]T int;",
    );
    let tys: Vec<_> = hir.globals.iter().map(|g| g.ty).collect();
    assert_eq!(tys[0], tys[1]);
    assert_eq!(hir.tys.show(tys[0]), "[bv8][int]T int");
}

#[test]
fn type_parameters_are_told_from_arguments() {
    let hir = checked(
        "type Box t; function f<t>(x: [int]t): Box t; const c: Box bool; const m: [int]bool; axiom f(m) == c;",
    );
    assert_eq!(hir.axioms.len(), 1);
    assert_eq!(
        refused("function f<t>(): t; axiom f() == 1;").0,
        "the type parameters of `f` cannot be told from its arguments"
    );
}

#[test]
fn map_updates_become_stores() {
    let hir = checked("procedure p() { var m: [int][int]bool; m[1][2] := true; }");
    let body = &hir.procedures[ProcedureId::from_raw(0)].implementations[0].body;
    let StmtKind::Assign(pairs) = &body[0].kind else { panic!() };
    let ExprKind::Store(_, _, value) = &pairs[0].1.kind else { panic!() };
    assert!(matches!(value.kind, ExprKind::Store(..)));
}

#[test]
fn axioms_matter_only_where_they_reach() {
    let hir = checked(
        "const a: int; const b: int; const c: int; const d: int; axiom a < b; axiom b < c; axiom d > 0; \
         procedure p() { assert c > 0; }",
    );
    let relevant: Vec<bool> = hir.axioms.iter().map(|a| a.relevant).collect();
    assert_eq!(relevant, [true, true, false]);
}

#[test]
fn wrong_programs_are_named_where_they_are_wrong() {
    for (text, message, place) in [
        ("var x: T;", "type `T` is not declared", "T"),
        ("var x: float24e8;", "type `float24e8` is not supported", "float24e8"),
        ("type A = B; type B = A;", "type `A` means itself", "A"),
        ("type T a; var x: T;", "type `T` takes 1 arguments, not 0", "T"),
        ("type T; type T;", "type `T` is declared twice", "T"),
        ("var x: int; const x: int;", "variable or constant `x` is declared twice", "x"),
        ("axiom x;", "`x` is not declared", "x"),
        ("axiom 1;", "expected type bool, found int", "1"),
        ("axiom 1 + 1.0 == 2.0;", "`+` does not take operands of types int and real", "1 + 1.0"),
        ("axiom 1bv8 == 1bv9;", "`==` does not take operands of types bv8 and bv9", "1bv8 == 1bv9"),
        ("axiom f(1);", "function `f` is not declared", "f"),
        ("function f(x: int): bool; axiom f(1, 2);", "function `f` takes 1 arguments, not 2", "f(1, 2)"),
        ("function f(x: int): bool; axiom f(true);", "expected type int, found bool", "true"),
        ("function f(x: int): bool { x }", "expected type bool, found int", "x"),
        ("var g: int; axiom g > 0;", "variable `g` cannot be used here, only constants", "g"),
        ("axiom old(true);", "`old` has no meaning here", "old(true)"),
        ("axiom 5bv8[9:0] == 5bv9;", "bits 9:0 of a bit-vector of width 8", "5bv8[9:0]"),
        ("const m: [int]bool; axiom m[true];", "expected an index of type int, found bool", "true"),
        ("const m: [int]bool; axiom m[1, 2];", "the map takes 1 indices, not 2", "m[1, 2]"),
        ("const m: int; axiom m[1];", "int is not a map", "m"),
        ("procedure p(x: int) { x := 1; }", "parameter `x` cannot be changed", "x"),
        ("const c: int; procedure p() { havoc c; }", "constant `c` cannot be changed", "c"),
        (
            "var g: int; procedure p() { g := 1; }",
            "`g` is changed here but is not in the `modifies` clause of this procedure",
            "g",
        ),
        (
            "var g: int; procedure q(); modifies g; procedure p() { call q(); }",
            "`g` may be changed by `q` but is not in the `modifies` clause of this procedure",
            "q",
        ),
        ("procedure p() { goto L; }", "there is no label `L`", "L"),
        ("procedure p() { L: L: }", "label `L` is declared twice", "L:"),
        ("procedure p() { break; }", "`break` outside of a loop", "break;"),
        (
            "procedure p() { L: assert true; while (*) { break L; } }",
            "`L` labels no `while` or `if` around this `break`",
            "L",
        ),
        ("procedure p() { call q(); }", "procedure `q` is not declared", "q"),
        (
            "procedure p() returns (r: int); procedure q() { call p(); }",
            "procedure `p` returns 1 values, not 0",
            "p",
        ),
        ("procedure p() { var x, y: int; x, y := 1; }", "1 values for 2 variables", "x, y := 1;"),
        ("procedure p() { var x: int; x, x := 1, 2; }", "`x` is assigned twice at once", "x"),
        ("implementation p() { }", "procedure `p` is not declared", "p"),
        (
            "procedure p(x: int); implementation p() { }",
            "the procedure has another number of parameters",
            "p",
        ),
        (
            "procedure p(x: int); implementation p(y: bool) { }",
            "`y` has type bool here and int in the procedure",
            "y",
        ),
        ("procedure p(); modifies g;", "`g` is not a global variable", "g"),
        ("procedure p() returns (r: int); requires r > 0;", "`r` is not declared", "r"),
        ("axiom 0bv0 == 0bv0;", "a bit-vector of width 0", "0bv0"),
    ] {
        let (found, at) = refused(text);
        assert_eq!((found.as_str(), at), (message, place), "{text}");
    }
}

#[test]
fn enormous_types_are_refused() {
    let mut text = String::from("type T0 = int;");
    for i in 1..60 {
        text.push_str(&format!("type T{i} = [T{}]T{};", i - 1, i - 1));
    }
    assert_eq!(refused(&text).0, "a type with more than 10000 parts");
}
