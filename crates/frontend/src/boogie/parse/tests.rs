use super::super::ast::{Expr, ExprKind, StmtKind, UnOp};
use super::*;
use crate::Fault;
use craig_base::Diagnostic;

fn parse(text: &str) -> Result<Vec<Decl>, Diagnostic> {
    super::parse(text, &Budget::unlimited()).map_err(|fault| match fault {
        Fault::Wrong(diagnostic) => *diagnostic,
        Fault::Stopped(stop) => panic!("{stop}"),
    })
}

/// The expression with all its brackets.
fn grouped(text: &str) -> String {
    let decls = parse(&format!("axiom {text};")).unwrap_or_else(|d| panic!("{text}: {d}"));
    match &decls[0] {
        Decl::Axiom(e) => show(e),
        other => panic!("{other:?}"),
    }
}

fn show(e: &Expr) -> String {
    let list = |es: &[Expr]| es.iter().map(show).collect::<Vec<_>>().join(", ");
    match &e.kind {
        ExprKind::Bool(v) => v.to_string(),
        ExprKind::Int(v) => v.to_string(),
        ExprKind::Bv(v, w) => format!("{v}bv{w}"),
        ExprKind::Real(v) => format!("{v}r"),
        ExprKind::Name(n) => n.to_string(),
        ExprKind::Apply(f, args) => format!("{}({})", f.name, list(args)),
        ExprKind::Unary(UnOp::Not, a) => format!("!{}", show(a)),
        ExprKind::Unary(UnOp::Neg, a) => format!("-{}", show(a)),
        ExprKind::Binary(op, a, b) => format!("({} {op:?} {})", show(a), show(b)),
        ExprKind::Select(m, i) => format!("{}[{}]", show(m), list(i)),
        ExprKind::Store(m, i, v) => format!("{}[{} := {}]", show(m), list(i), show(v)),
        ExprKind::Extract { of, hi, lo } => format!("{}[{hi}:{lo}]", show(of)),
        ExprKind::Ite(c, a, b) => format!("(if {} then {} else {})", show(c), show(a), show(b)),
        ExprKind::Old(a) => format!("old({})", show(a)),
        ExprKind::Binder { kind, vars, body, .. } => format!("({kind:?} {} :: {})", vars.len(), show(body)),
        other => format!("{other:?}"),
    }
}

fn refused(text: &str) -> (String, &str) {
    let d = parse(text).expect_err(text);
    let span = d.span.unwrap();
    (d.message, &text[span.start as usize..span.end as usize])
}

#[test]
fn operators_group_as_boogie_says() {
    assert_eq!(grouped("a <==> b ==> c ==> d"), "(a Iff (b Implies (c Implies d)))");
    assert_eq!(grouped("a <== b <== c"), "((a Explies b) Explies c)");
    assert_eq!(grouped("a && b && c ==> d || e"), "(((a And b) And c) Implies (d Or e))");
    assert_eq!(grouped("a + b * c - d div e mod f"), "((a Add (b Mul c)) Sub ((d Div e) Mod f))");
    assert_eq!(grouped("!a && -b < c ++ d + e"), "(!a And (-b Lt (c Concat (d Add e))))");
    assert_eq!(grouped("a ** b ** c * d"), "((a Pow (b Pow c)) Mul d)");
    assert_eq!(grouped("a == b && c != d"), "((a Eq b) And (c Ne d))");
    assert_eq!(grouped("if a then b else c + d"), "(if a then b else (c Add d))");
}

#[test]
fn indexing_is_told_apart() {
    assert_eq!(grouped("m[i, j][k]"), "m[i, j][k]");
    assert_eq!(grouped("m[i := m[j] + 1][k]"), "m[i := (m[j] Add 1)][k]");
    assert_eq!(grouped("x[8:0] ++ f(y)[16:8]"), "(x[8:0] Concat f(y)[16:8])");
    assert_eq!(
        grouped("(forall<t> x: t, y: int :: {f(x)} {:weight 2} f(x) == y)"),
        "(Forall 2 :: (f(x) Eq y))"
    );
    assert_eq!(grouped("(lambda x: int :: x)[3]"), "(Lambda 1 :: x)[3]");
}

#[test]
fn statements_keep_their_spans() {
    let text = "procedure p() { x := 1; if (*) { y := 2; } L: goto L; }";
    let decls = parse(text).unwrap();
    let Decl::Procedure(p) = &decls[0] else { panic!() };
    let body = &p.body.as_ref().unwrap().stmts;
    let spans: Vec<&str> = body.iter().map(|s| &text[s.span.start as usize..s.span.end as usize]).collect();
    assert_eq!(spans, ["x := 1;", "if", "L:", "goto L;"]);
    assert!(matches!(body[2].kind, StmtKind::Label(_)));
}

#[test]
fn wrong_syntax_is_named_where_it_stands() {
    for (text, message, place) in [
        ("var x int;", "expected `:`, found `int`", "int"),
        ("axiom a && b || c;", "`&&` and `||` cannot be mixed", "||"),
        ("axiom a ==> b <== c;", "`==>` and `<==` cannot be mixed", "<=="),
        ("axiom a < b < c;", "comparisons cannot be chained", "<"),
        ("procedure p() { x = 1; }", "expected `:=`, found `=`", "="),
        ("procedure p() { assert; }", "expected an expression, found `;`", ";"),
        ("procedure p() { x := 1; var y: int; }", "a declaration among statements", "var"),
        ("procedure p(); { }", "a procedure that ends with `;` has no body", "{"),
        ("procedure p() requires x", "expected `;`, found the end of the file", ""),
        ("procedure p() { call f, g(); }", "expected `:=`, found `(`", "("),
        ("x := 1;", "expected a declaration, found `x`", "x"),
        ("procedure p() free { }", "expected `requires`, `ensures` or `modifies`, found `{`", "{"),
        ("axiom |{ return true; }|;", "statements inside an expression are not supported", "|{"),
        ("function f(int) int;", "expected `:`, found `int`", "int"),
        ("type = int;", "expected the name of a type, found `=`", "="),
    ] {
        assert_eq!(refused(text), (message.into(), place), "{text}");
    }
}
