//! What programs can tell of where their objects lie.

use craig_base::Budget;
use craig_cfa::pass::{PrepareOptions, prepare};
use craig_cfa::{DataModel, Program};
use craig_encode::Layout;
use craig_encode::memory::{AddressMap, Seen};
use craig_frontend::Reading;
use craig_frontend::c::load_text;

fn layout(text: &str) -> (Program, Layout) {
    let head = "extern void *malloc(unsigned long); extern void free(void *); extern int __VERIFIER_nondet_int(void);
        extern void *__VERIFIER_nondet_pointer(void); extern void reach_error(void);\n";
    let reading = Reading { model: DataModel::Lp64, ..Reading::default() };
    let budget = Budget::unlimited();
    let source = match load_text("test.c", &format!("{head}{text}"), &reading, &budget) {
        Ok(loaded) => loaded.program,
        Err(e) => panic!("{e:?}"),
    };
    let options = PrepareOptions { prune: false, fold: false, cone: false, ..Default::default() };
    let prepared = prepare(&source, &options, &budget).expect("no limit").program;
    let seen = Seen::new(&source, &budget).expect("no limit");
    let layout = Layout::new(&prepared, &seen, &AddressMap::new(), &budget).expect("no limit");
    (prepared, layout)
}

/// The names of the sites, without the one for all that is not seen.
fn seen(text: &str) -> Vec<String> {
    let (_, layout) = layout(text);
    let mut names: Vec<String> = layout.sites().iter().skip(1).map(|site| site.name.to_string()).collect();
    names.sort();
    names
}

fn nothing(text: &str) {
    let (_, layout) = layout(text);
    let sites: Vec<_> = layout.sites().iter().map(|site| &site.name).collect();
    assert!(sites.is_empty(), "{text}: {sites:?}");
}

#[test]
fn who_does_not_look_sees_nothing() {
    nothing("int x, y; int main() { int *p = &x; *p = 1; if (p == &y) reach_error(); }");
    nothing("int x; int main() { int *p = &x; if (p && p != 0) *p = 1; }");
    nothing("int a[4]; int main() { for (int *p = a; p < a + 4; p++) *p = 0; return a + 4 - a; }");
    nothing("struct s { int a, b; } x; int main() { return (char *)&x.b - (char *)&x; }");
    nothing("int x; int main() { int *p = (int *)(unsigned long)&x; *p = 1; }");
    nothing("int x; int main() { if ((unsigned long)&x >= -4095UL) reach_error(); }");
    nothing(
        "int main() { int *p = malloc(4), *q = malloc(4); if (p == q) reach_error(); free(p); free(q); }",
    );
    nothing("void f(void) {} void g(void) {} int main() { void (*p)(void) = f; if (p == g) reach_error(); }");
    nothing("void f(int *p) { *p = 1; } int main() { int x; for (;;) f(&x); }");
}

#[test]
fn numbers_are_seen() {
    assert_eq!(seen("int x, y; int main() { return (unsigned long)&x & 7; }"), ["&x"]);
    assert_eq!(seen("int x; int main() { return (int)&x == 0; }"), ["&x"]);
    assert_eq!(seen("int x; int main() { return (long)&x < 0; }"), ["&x"]);
    assert_eq!(seen("int x, *p = &x; int main() { return ((char *)&p)[3]; }"), ["&x"]);
    assert_eq!(seen("int main() { return (unsigned long)malloc(4) & 15; }"), ["&malloc@3"]);
}

#[test]
fn order_and_distance_are_seen() {
    assert_eq!(seen("int x, y; int main() { return &x < &y; }"), ["&x", "&y"]);
    assert_eq!(seen("int x, y; int main() { return &x - &y; }"), ["&x", "&y"]);
}

#[test]
fn equality_is_seen_where_it_is_open() {
    // Behind one object the other may begin.
    assert_eq!(seen("int x, y; int main() { return &x + 1 == &y; }"), ["&x", "&y"]);
    // What was freed may come back.
    let freed = "int main() { int *p = malloc(4);\nfree(p);\nint *q = malloc(4); return p == q; }";
    assert_eq!(seen(freed), ["&malloc@3", "&malloc@5"]);
    // So may a local of a call that has ended.
    let locals = "int *f(void) { int x; return &x; } int *g(void) { int y; return &y; } int main() { return f() == g(); }";
    assert_eq!(seen(locals), ["&x", "&y"]);
    // A pointer that somebody chose.
    let chosen = "int x; int main() { int *p = __VERIFIER_nondet_pointer(); return p == &x; }";
    assert_eq!(seen(chosen), ["&malloc@3", "&x"]);
}

/// Who lives at the same time shares no byte; of the others nothing is known.
#[test]
fn objects_that_live_together_are_apart() {
    let apart = |text: &str| {
        let (_, layout) = layout(text);
        layout.sites().iter().skip(2).all(|site| site.apart.len() == 2)
    };
    assert!(apart("int x, y; int main() { return &x < &y; }"));
    assert!(apart("int main() { int *p = malloc(4); int *q = malloc(4); free(p); return p < q; }"));
    assert!(!apart("int main() { int *p = malloc(4); free(p); int *q = malloc(4); return p < q; }"));
}

/// A local of a function that is called in a loop may lie elsewhere each time: what depends on its address is arbitrary.
#[test]
fn what_moves_is_loose() {
    let text = "long last; void f(void) { int x; if (last == (long)&x) reach_error(); last = (long)&x; }
        int main() { for (int i = 0; i < 3; i++) f(); }";
    let (program, layout) = layout(text);
    let all = (0..program.exprs.len()).map(craig_cfa::ExprId::from_usize);
    assert!(all.filter(|e| layout.is_loose(*e)).count() > 0);
}
