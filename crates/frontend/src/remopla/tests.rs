use crate::{LoadError, Loaded, Loops, Overflow, Property, Reading, Rejected, random_texts};
use craig_base::Budget;
use craig_cfa::verify;

fn load_text(text: &str, reading: &Reading) -> Result<Loaded, Rejected> {
    super::load_text("p.rem", text, reading, &Budget::unlimited()).map_err(LoadError::rejected)
}

fn shown(text: &str, reading: &Reading) -> String {
    let loaded = load_text(text, reading).unwrap_or_else(|f| panic!("{text}\n{:?}", f.diagnostics));
    verify::verify(&loaded.program).unwrap_or_else(|v| panic!("{text}\n{v:#?}"));
    loaded.program.to_string()
}

/// The first message, as `line:column: message`.
fn refused_with(text: &str, reading: &Reading) -> String {
    let rejected = load_text(text, reading).map(|_| ()).expect_err(text);
    let diagnostic = &rejected.diagnostics[0];
    let Some(span) = diagnostic.span else { return diagnostic.message.clone() };
    assert!(span.end as usize <= text.len(), "{text}");
    let before = &text[..span.start as usize];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |n| n + 1) + 1;
    format!("{line}:{column}: {}", diagnostic.message)
}

fn refused(text: &str) -> String {
    refused_with(text, &Reading::default())
}

fn wrap() -> Reading {
    Reading { overflow: Overflow::Wrap, ..Reading::default() }
}

fn leave() -> Reading {
    Reading { loops: Loops::Leave, ..Reading::default() }
}

/// One snapshot of the program as text for each construct.
macro_rules! constructs {
    ($($name:ident: $reading:expr, $text:expr;)*) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), shown($text, &$reading));
        })*
    };
}

constructs! {
    globals_and_locals: Reading::default(), "define N 3\ndefine DEFAULT_INT_BITS N + 1\nbool b, c[4]; int x(3), y; enum colour { red, green, blue }; \
        enum colour e; struct point { int x(2), y(2); enum colour c; } p, q[2]; int m[2][3](4);\n\
        module void main() { int q[1,6](3); enum colour f; skip; }";
    what_does_not_fit_blocks: Reading::default(), "int x(3), y(3), a[1,5](3); module void main() { x = x + y; x = x & y; a[x] = 2; x = a[y] - 1; x = y / x; }";
    what_does_not_fit_wraps: wrap(), "int x(3), y(3), a[1,5](3); module void main() { x = x + y; x = x & y; a[x] = 2; x = a[y] - 1; x = y / x; }";
    parallel_assignment: Reading::default(), "int x(3), y(3), a[4](3), i(2); module void main() { x = y, y = x; x = 1, y = 2; i = x mod 4, a[i] = i; \
        a[0] = a[1], a[1] = a[0]; x != x; a[a[0] mod 4] = undef; x = undef, y = x; }";
    quantified_assignment: Reading::default(), "int m[2][3](3), a[4](3); bool b[4]; module void main() { A i (0,3) a[i] = i; A i (0,1) A j (0,2) m[i][j] = i + j; \
        E i (1,3) a[i] = 0; A i (0,2) b[i] = b[i + 1]; }";
    conditions: Reading::default(), "int x(3), a[4](3); bool b, c; module void main() { skip (b ^^ c <=> true); skip (A i (0,3) (a[i] == x)); \
        skip (E i (0,1) A j (2,3) (a[i] < a[j])); skip (x < 4 && a[x] == 0 || !b); skip (x << 1 == (2 | x >> 1 ^ 3 & x)); }";
    alternatives: Reading::default(), "int x(3); module void main() { if :: x == 0 -> x = 1; :: x == 1 -> x = 2; :: else -> skip; fi \
        if :: x < 3 -> x = 3; :: x > 1 -> x = 4; fi if :: true -> x = 0; :: true -> x = 1; :: true -> x = 2; fi }";
    loops: Reading::default(), "int x(3); module void main() { do :: x > 0 -> x = x - 1; :: x > 5 -> break; od; l: goto l; }";
    loops_that_are_left: leave(), "int x(3); module void main() { do :: x > 0 -> x = x - 1; od }";
    calls: Reading::default(), "int g(3), a[2](3); bool b; module int(3) f(int x(2), bool y); module void none(int x(3)) { return; } \
        module void main() { int x(2), i(1); g = f(1, b); x = f(g, g > 2), i = 0; a[i] = f(undef, true); none(g), g = g + 1; goto l, g = 0; l: skip; } \
        module int(3) f(int x(2), bool y) { if :: y -> return x; :: else -> x = f(x - 1, y); fi return x + 1; }";
    the_error_label: Reading::default(), "module void main() { if :: true -> error: skip; :: true -> skip; fi }";
    rules: Reading::default(), "int G(3), L(3); init q <m0>;\nq <m0> --> q <m1> \"even\" (L' == (L * (L + 1)) mod 8)\nq <m1> --> q <f0 m2>\n\
        q <m2> --> q <error> (G != 0);\nq <f0> --> p <f1> (L mod 2 == 0)\nq <f0> --> q < > (G' > L && G' == 1)\np <f1> --> q < > (G' == 0)";
    rules_in_modules: Reading::default(), "int g(3); module void f(int p(2)) { int l(2), m(2); f1: skip; f2: g = l; }\n\
        module void main() { int x(2); a: x = 1; b: skip (x == 0);\n\
        f(x); c: do :: x == 2 -> break; od d: error: skip; }\n\
        q <a> --> q <b> (x' > x && g' == 2)\n\
        q <b> --> q <f c> (p' == x && l' != x && x'' == 3)\n\
        q <c> --> q <c> (x' == g)\nq <f1> --> q < > (g' == p)\nq <main> --> q <s d> (x > 2)\nq <s> --> q < >";
    initial_stack: Reading::default(), "init start; module void start(int x(2), bool b) { skip; }";
}

#[test]
fn malformed_texts_are_refused_with_their_place() {
    let main = |body: &str| format!("int x(3), a[4](3); bool b;\nmodule void main() {{ {body} }}");
    let mut wrong = Vec::new();
    let mut check = |text: &str, expected: &str| {
        let found = refused(text);
        if found != expected {
            wrong.push(format!("{text}\n  expected {expected}\n  found    {found}"));
        }
    };
    for (text, expected) in [
        ("int x", "1:6: expected `;`, found the end of the file"),
        ("int x;", "1:5: an integer without bits"),
        ("int x(33);", "1:7: an integer of 33 bits: 1 to 32 are possible"),
        ("bool b(2);", "1:8: only integers have bits"),
        ("signed int x(3);", "1:1: `signed int` is not supported"),
        ("shared int x(3);", "1:1: `shared` is not supported"),
        ("bool b[0];", "1:7: an array without cells"),
        ("bool b[2][2][2];", "1:6: an array of more than two dimensions"),
        ("bool b[1000][1000];", "1:13: an array of more than 65536 cells"),
        ("bool b; int b(2);", "1:13: `b` is declared a second time"),
        ("enum e { one, two, one };", "1:20: `one` is declared a second time"),
        ("enum colour e;", "1:6: there is no enumeration `colour`"),
        ("struct s { bool a; }; struct t { struct s x; };", "1:43: a struct in a struct"),
        ("struct s { bool a[2]; }; struct s t[2];", "1:35: an array of structs that hold arrays"),
        ("define N x", "1:10: there is no variable `x`"),
        ("define N 1 / 0", "1:10: this constant has no value"),
        ("define N 99999999999999999999", "1:10: a number of more than 64 bits"),
        ("bool 3a;", "1:6: a name may not begin with a digit"),
        ("bool b; é", "1:9: `é` cannot stand in a Remopla program"),
        ("module void main() { if :: true -> skip; }", "1:42: expected `fi`, found `}`"),
        ("module void main() {", "1:20: this is never closed by `}`"),
        ("}", "1:1: `}` closes nothing"),
        ("module void f();", "1:1: module `f` has no body"),
        ("module void f() { } module bool f() { return true; }", "1:33: module `f` has a second body"),
        ("module void f(); module void f(bool b) { }", "1:18: module `f` was declared differently"),
        ("module void f() { }", "there is no module `main`"),
        ("init f; module void main() { }", "1:6: there is no module `f`"),
        ("module bool main() { skip; }", "1:28: module `main` can end without a result"),
        ("module bool main() { return; }", "1:22: module `main` gives a result"),
        ("module void main() { return true; }", "1:29: module `main` gives no result"),
    ] {
        check(text, expected);
    }
    for (body, expected) in [
        ("y = 1;", "2:22: there is no variable `y`"),
        ("x = b;", "2:26: a number is expected here, this is a condition"),
        ("b = x;", "2:26: a condition is expected here, this is a number"),
        ("b = x && b;", "2:26: a condition is expected here, this is a number"),
        ("a = x;", "2:26: an array is expected here, this is a number"),
        ("x = a;", "2:26: the shapes do not agree"),
        ("x[0] = 1;", "2:24: an index into what is no array"),
        ("x.y = 1;", "2:24: a field of what is no struct"),
        ("x = 1, x = 2;", "2:22: a variable is assigned twice in one statement"),
        ("x = x'", "2:26: `x` with a prime"),
        ("x = f(1);", "2:26: there is no module `f`"),
        ("main(1);", "2:22: module `main` takes 0 arguments, here are 1"),
        ("x = main();", "2:26: module `main` gives no result"),
        ("x = 1 + main();", "2:30: a call inside an expression"),
        ("x = 1 + undef;", "2:30: `undef` is not a part of an expression"),
        ("goto l;", "2:27: there is no label `l`"),
        ("l: skip; l: skip;", "2:31: label `l` stands here a second time"),
        ("break;", "2:22: `break` outside of `do`"),
        ("fork main();", "2:22: `fork` is not supported"),
        ("x = 1 bool c;", "2:28: expected `;`, found `bool`"),
        ("skip; bool c;", "2:28: a declaration among statements"),
        ("if fi", "2:25: expected `::`, found `fi`"),
        ("if :: else -> skip; :: b -> skip; fi", "2:42: an alternative behind `else`"),
        ("skip (A i (0,3) a[i] == 0);", "2:38: a condition is expected here, this is a number"),
        ("skip (A i (0,x) b);", "2:35: a constant is expected here"),
        ("A i (0,3) i = 1;", "2:32: `i` is bound by a quantifier"),
        ("A i (0,999999999) a[0] = i;", "2:22: more than 4096 instances of quantifiers in one statement"),
        ("E i (3,0) a[i] = 0;", "2:22: `E` over no values"),
        ("b = 1 << 100 << 100 == x;", "2:26: the result of `<<` may have more than 120 bits"),
        ("x = ;", "2:26: expected an expression, found `;`"),
        ("skip x;", "2:27: expected `;`, found `x`"),
    ] {
        check(&main(body), expected);
    }
    check(
        "module void f() { l: skip; } module void main() { goto l; }",
        "1:56: label `l` stands in module `f`",
    );
    for (rule, expected) in [
        ("q <a> --> q <b>", "2:14: `b` is no label in module `main`"),
        ("q <a> --> q <s>", "2:14: `s` is no label in module `main`"),
        ("q <a> --> q <f>", "2:14: `f` is no label in module `main`"),
        ("q <a> --> q <f b>", "2:16: `b` is no label in module `main`"),
        ("q <a> --> q <b a>", "2:14: `b` is a label in module `f`"),
        ("q <a> --> q <a a>", "2:14: `a` is a label in module `main`"),
        ("q <s> --> q <a>", "2:14: `a` is a label in module `main`"),
        ("q <s> --> q <f>", "2:14: `f` is a label in module `f`"),
        ("q <s> --> q <f a>", "2:16: `a` is a label in module `main`"),
        ("q <b> --> q < >", "2:1: a rule that returns from module `f`, which gives a result"),
        ("q <a> --> q < > (x' == 0)", "2:18: `x` with a prime"),
        ("q <a> --> q <f a> (x' == 0)", "2:20: `x` with a prime"),
        ("q <a> --> q <f a> (y' == 0 && p == 0)", "2:31: there is no variable `p`"),
        ("q <a> --> q <f a> (p'' == 0)", "2:20: there is no variable `p`"),
        ("q <a> --> q <f a> (g'' == 0)", "2:20: `g` with two primes"),
        ("q <a> --> q <a> (x'' == 0)", "2:18: `x` with two primes"),
        ("q <a> --> q < > (x'' == 0)", "2:18: `x` with two primes"),
        ("q <a> --> q <s a>\nq <s> --> q <f s> (x'' == 0)", "3:20: there is no variable `x`"),
        ("q <a> --> q <a> (z' == 0)", "2:18: there is no variable `z`"),
        ("q <a> --> q <a> (x' && g == 0)", "2:18: a condition is expected here, this is a number"),
        ("q <a a> --> q <a>", "2:1: a rule of another form"),
        ("init q <a>; q <a> --> q <a>", "2:9: `a` is a label in module `main`"),
    ] {
        let modules = "int g(2); module int(2) f(int p(2)) { int y(2); b: return p; } module void main() { int x(2); a: skip; }";
        check(&format!("{modules}\n{rule}"), expected);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_property_is_a_label() {
    let text = "module void main() { bad: skip; }";
    let reading = |property| Reading { property, ..Reading::default() };
    let loaded = load_text(text, &reading(Property::Label("bad".into()))).unwrap();
    assert!(loaded.nothing.is_none() && loaded.property == Property::Label("bad".into()));
    let loaded = load_text(text, &Reading::default()).unwrap();
    assert_eq!(loaded.nothing.unwrap().diagnostics[0].message, "there is no label `error`");
    let loaded = load_text("module void main() { error: skip; }", &Reading::default()).unwrap();
    assert!(loaded.nothing.is_none() && loaded.property == Property::Label("error".into()));
    for (property, message) in [
        (Property::Label("worse".into()), "there is no label `worse`"),
        (Property::NoOverflow, "the property speaks of overflow, which has no meaning for Remopla"),
        (Property::Call("f".into()), "the property speaks of a call, which has no meaning for Remopla"),
    ] {
        assert_eq!(refused_with(text, &reading(property)), message);
    }
    // The name of a module labels its first statement.
    assert!(load_text(text, &reading(Property::Label("main".into()))).is_ok());
}

#[test]
fn the_entry_can_be_chosen() {
    let text = "init f; module void f() { } module void g() { } module void main() { }";
    let entered = |entry: Option<&str>| {
        let reading = Reading { entry: entry.map(str::to_string), ..Reading::default() };
        let program = load_text(text, &reading).unwrap().program;
        let text = program.to_string();
        let call = text.lines().find(|line| line.contains("()    // line")).unwrap().to_string();
        call.split(": ").nth(1).unwrap().split('(').next().unwrap().to_string()
    };
    assert_eq!(entered(None), "f");
    assert_eq!(entered(Some("g")), "g");
    let reading = Reading { entry: Some("h".into()), ..Reading::default() };
    assert_eq!(refused_with(text, &reading), "there is no module `h`");
}

#[test]
fn long_and_deep_texts_are_read_or_refused() {
    let body = |body: &str| format!("int x(3); bool b; module void main() {{ {body} }}");
    let sum = |n: usize| body(&format!("skip (x{} == 0);", " + x".repeat(n)));
    shown(&sum(15_000), &Reading::default());
    assert!(refused(&sum(25_000)).ends_with("more than 20000 operators in one expression"));
    shown(&body(&format!("b = b{};", " && b".repeat(10_000))), &Reading::default());
    let difference = body(&format!("skip (x{} == 0);", " - x".repeat(300)));
    assert!(refused(&difference).ends_with("an expression of more than 200 levels"));
    shown(&body(&format!("b = {}b;", "!".repeat(15_000))), &Reading::default());
    let nested = |n: usize| body(&format!("{} skip; {}", "if :: b -> ".repeat(n), "fi ".repeat(n)));
    shown(&nested(900), &Reading::default());
    assert!(refused(&nested(5000)).ends_with("brackets nested more than 1000 deep"));
    assert!(refused(&"(".repeat(100_000)).ends_with("brackets nested more than 1000 deep"));
    let index = body(&format!("{}x{} = 0;", "x[".repeat(5000), "]".repeat(5000)));
    assert!(refused(&index).ends_with("brackets nested more than 1000 deep"));
    let labels: String = (0..50_000).map(|i| format!("l{i}: ")).collect();
    shown(&body(&format!("{labels} skip;")), &Reading::default());
    let line = body(&"x = 1; ".repeat(150_000));
    assert!(line.len() > 1 << 20);
    shown(&line, &Reading::default());
    let all =
        |n: usize| format!("int a[8192](3); module void main() {{ A i (1,{n}) a[i] = a[i] + a[i - 1]; }}");
    shown(&all(4096), &Reading::default());
    assert!(refused(&all(4097)).ends_with("more than 4096 instances of quantifiers in one statement"));
    let alternatives = body(&format!("if {} fi", ":: b -> skip; ".repeat(2000)));
    shown(&alternatives, &Reading::default());
}

#[test]
fn random_texts_never_break_it() {
    let seed = include_str!("../../tests/remopla/constructs.rem");
    let words = random_texts::words(seed, &super::lex::lex(seed, &Budget::unlimited()).unwrap());
    random_texts::never_break(&[words], |round, text| {
        let reading = if round % 2 == 0 { Reading::default() } else { wrap() };
        let loaded = load_text(text, &reading)?;
        verify::verify(&loaded.program).unwrap_or_else(|v| panic!("{text}\n{v:#?}"));
        Ok(())
    });
}
