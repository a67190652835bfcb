use crate::{LoadError, Property, Reading, Rejected, random_texts};
use craig_base::Budget;
use craig_cfa::{Op, Program, verify};

fn load_text(name: &str, text: &str, reading: &Reading) -> Result<Program, Rejected> {
    let loaded = super::load_text(name, text, reading, &Budget::unlimited());
    loaded.map(|l| l.program).map_err(LoadError::rejected)
}

fn program(text: &str) -> Program {
    let program = load_text("p.bpl", text, &Reading::default())
        .unwrap_or_else(|f| panic!("{text}\n{:?}", f.diagnostics));
    verify::verify(&program).unwrap_or_else(|v| panic!("{text}\n{v:#?}"));
    program
}

fn refused(text: &str, reading: &Reading) -> String {
    let failure = load_text("p.bpl", text, reading).map(|_| ()).expect_err(text);
    failure.diagnostics[0].message.clone()
}

fn unsupported(program: &Program) -> Vec<(String, u32)> {
    let construct = |op: &Op| match op {
        Op::Unsupported(what) => Some(what.to_string()),
        _ => None,
    };
    program.ops().filter_map(|(op, span)| Some((construct(op)?, program.source.line(span)))).collect()
}

/// One snapshot of the program as text for each construct.
macro_rules! constructs {
    ($($name:ident: $text:expr;)*) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), program($text).to_string());
        })*
    };
}

constructs! {
    assert_and_assume: "procedure main() { var x: int; assume x > 0; assert x >= 1; }";
    conditions: "procedure main() { var x: int; if (x > 0) { x := 1; } else if (*) { x := 2; } else { x := 3; } }";
    loops: "procedure main() { var i: int; i := 0; while (i < 10) invariant i >= 0; free invariant i <= 10; { \
            if (*) { break; } i := i + 1; } }";
    labels: "procedure main() { var x: int; A: goto B, C; B: x := 1; goto A; C: x := 2; goto D; D: return; }";
    labelled_break: "procedure main() { L: while (*) { while (true) { break L; } } M: if (*) { break M; } assert false; }";
    parallel_assignment: "procedure main() { var x, y: int; x, y := y, x; x, y := 1, 2; }";
    map_updates: "var m: [int][int, bool]real; procedure main() modifies m; { m[1][2, true] := 0.5; \
                  assert m[1][2, true] > 0.0; m := m[3 := m[1]]; }";
    havoc_with_where: "var g: int where g >= 0; procedure main() modifies g; { var x: int where x > g; havoc g, x; }";
    calls: "var g: int; procedure main() modifies g; { var a, b: int; call a := one(3); call a, b := two(); call none(); } \
            procedure one(x: int) returns (r: int) requires x > 0; ensures r > x; { r := x + 1; } \
            procedure two() returns (r: int, s: int) { r, s := 1, 2; } procedure none() modifies g; { g := 1; return; }";
    contracts: "var g: int; procedure main() modifies g; { call p(1); } procedure p(x: int); requires x > 0; free requires x < 9; \
                modifies g; ensures g == old(g) + x; free ensures g > 0;";
    old_values: "var g: int; procedure main() modifies g; ensures g == old(g) + 2; { g := g + 2; assert old(g + 1) == g - 1; }";
    functions: "function f(x: int): int; function g(x: int, y: int): int { f(x) + y } procedure main() { assert g(1, 2) > f(1); }";
    constants_and_axioms: "type T; const unique a, b: T; const n: int; axiom n == 10; const k: int; axiom k > n; var t: T; \
                           procedure main() { assert t == a || t == b ==> n < k; }";
    bit_vectors: "function {:bvbuiltin \"bvadd\"} add(x: bv8, y: bv8): bv8; function {:bvbuiltin \"bvslt\"} lt(x: bv8, y: bv8): bool; \
                  procedure main() { var x: bv8; x := add(x, 255bv8); assert lt(x, 3bv8) ==> x[8:4] ++ x[4:0] == x; }";
    reals: "procedure main() { var r: real; var i: int; i := int(r); assert real(i) <= r / 1.0; assert i div 3 * 3 + i mod 3 == i; }";
    conditional_expression: "procedure main() { var x: int; x := if x < 0 then -x else x; assert x >= 0 <==> true; }";
    entries: "procedure p(x: int) requires x > 0; { assert x > 0; } procedure q() { assert true; } procedure contract();";
    two_implementations: "procedure p() returns (r: int); implementation p() returns (a: int) { a := 1; } \
                          implementation p() returns (b: int) { b := 2; } procedure main() { var x: int; call x := p(); }";
    unmodelled: "procedure main() { var x: int; assert x == x; assume (forall y: int :: y <= x); assert x > 0; }";
    unmodelled_axiom: "function f(x: int): int; axiom (forall y: int :: f(y) > y); procedure main() { assert f(1) > 1; }";
    statements_not_modelled: "procedure main() { yield; call forall p(); } procedure p();";
}

#[test]
fn what_is_not_modelled_is_named_with_its_line() {
    let quantifier =
        program("procedure main() {\n var x: int;\n assume (exists y: int :: y > x);\n assert x > 0; }");
    assert_eq!(unsupported(&quantifier), [("quantifier".into(), 3)]);
    let call = program("procedure main() {\n call forall p(); }\n procedure p();");
    assert_eq!(unsupported(&call), [("call forall".into(), 2)]);
    for (text, what) in [
        (
            "var m: [int]int; procedure main() modifies m; { m := (lambda x: int :: x); assert m[1] == 1; }",
            "lambda",
        ),
        ("const c: int; const d: int; procedure main() { assert c <: d; }", "the order `<:`"),
        ("procedure main() { assert 2 ** 3 == 8; }", "`**`"),
        ("procedure main() { var x: bv129; assert x == 1bv129; }", "bit-vector wider than 128 bits"),
        ("function f(x: int): int { f(x) } procedure main() { assert f(1) == 1; }", "recursive function"),
        (
            "function f(x: int): bool { (forall y: int :: y < x) } procedure main() { assert f(1); }",
            "quantifier",
        ),
        (
            "function {:builtin \"sin\"} f(x: real): real; procedure main() { assert f(1.0) == 0.0; }",
            "builtin `sin`",
        ),
        (
            "type F t; var h: <t>[F t]t; const f: F int; procedure main() { assert h[f] == 1; }",
            "map with type parameters",
        ),
        (
            "procedure p<t>(x: t); procedure main() { call p(1); assert true; }",
            "call of a procedure with type parameters",
        ),
    ] {
        assert_eq!(unsupported(&program(text)), [(what.to_string(), 1)], "{text}");
    }
}

#[test]
fn axioms_that_nothing_depends_on_do_no_harm() {
    let text = "function f(x: int): int; axiom (forall y: int :: f(y) > y); procedure main() { var x: int; assert x > 0; }";
    assert_eq!(unsupported(&program(text)), []);
}

#[test]
fn properties_of_c_are_refused() {
    let text = "procedure main() { }";
    for (property, message) in [
        (Property::NoOverflow, "the property speaks of overflow, which has no meaning for Boogie"),
        (Property::Label("ERROR".into()), "the property speaks of a label, which has no meaning for Boogie"),
    ] {
        assert_eq!(refused(text, &Reading { property, ..Reading::default() }), message);
    }
    let property = Property::Call("reach_error".into());
    assert!(load_text("p.bpl", text, &Reading { property, ..Reading::default() }).is_ok());
}

#[test]
fn the_entry_can_be_chosen() {
    let text = "procedure p() { } procedure q(); procedure main() { }";
    let entry = |name: &str| Reading { entry: Some(name.into()), ..Reading::default() };
    let names = |p: &Program| p.procs.iter().map(|p| p.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&load_text("p.bpl", text, &entry("p")).unwrap()), ["__start", "p"]);
    assert_eq!(names(&load_text("p.bpl", text, &entry("main")).unwrap()), ["__start", "main"]);
    assert_eq!(refused(text, &entry("q")), "the entry `q` has no implementation");
    assert_eq!(refused(text, &entry("r")), "there is no procedure `r`");
    let both = "procedure main() { } procedure ULTIMATE.start() { call main(); }";
    assert_eq!(names(&program(both)), ["__start", "ULTIMATE.start", "main"]);
    assert_eq!(names(&load_text("p.bpl", both, &entry("main")).unwrap()), ["__start", "main"]);
    assert_eq!(names(&program("procedure p();")), ["__start"]);
}

#[test]
fn long_and_deep_texts_are_read_or_refused() {
    let reading = Reading::default();
    let sum = |n: usize| format!("procedure main() {{ var a: int; assert a{} == 0; }}", " + a".repeat(n));
    program(&sum(15_000));
    assert_eq!(refused(&sum(25_000), &reading), "more than 20000 operators in one expression");
    let implied = format!("procedure main() {{ var a: bool; assert {}a; }}", "a ==> ".repeat(15_000));
    program(&implied);
    let not = format!("procedure main() {{ var a: bool; assert {}a; }}", "!".repeat(25_000));
    assert_eq!(refused(&not, &reading), "more than 20000 operators in one expression");
    let ty = format!("var m: {}int;", "[int]".repeat(2000));
    assert_eq!(refused(&ty, &reading), "types nested more than 1000 deep");
    let chain = |n: usize| format!("procedure main() {{ if (*) {{}} {} }}", "else if (*) {}".repeat(n));
    program(&chain(15_000));
    assert_eq!(refused(&chain(25_000), &reading), "more than 20000 `else` in one chain");
    let nested = format!("procedure main() {{ {} {} }}", "while (*) {".repeat(900), "}".repeat(900));
    program(&nested);
    let labels: String = (0..50_000).map(|i| format!("L{i}: ")).collect();
    program(&format!("procedure main() {{ {labels} }}"));
}

/// Each function calls the one before twice: expanded as a tree this would never end.
#[test]
fn functions_are_expanded_with_sharing() {
    let mut text = String::from("function f0(x: int): int { x + 1 }\n");
    for i in 1..300 {
        text.push_str(&format!("function f{i}(x: int): int {{ f{}(x) + f{}(x) }}\n", i - 1, i - 1));
    }
    text.push_str("procedure main() { var x: int; assert f299(x) > 0; }");
    let program = program(&text);
    assert!(program.edges.len() < 1000 && program.to_string().len() < 10_000_000);
}

#[test]
fn random_texts_never_break_it() {
    let seeds = [
        include_str!("../../tests/boogie/control.bpl"),
        include_str!("../../tests/boogie/procedures.bpl"),
        include_str!("../../tests/boogie/data.bpl"),
    ];
    let lex = |text| super::lex::lex(text, &Budget::unlimited()).unwrap();
    let words = seeds.map(|text| random_texts::words(text, &lex(text)));
    random_texts::never_break(&words, |_, text| load_text("p.bpl", text, &Reading::default()).map(|_| ()));
}
