//! The partition of small programs as text: cells, and the candidates of every place that is more than a variable.

use craig_base::Budget;
use craig_cfa::pass::{PrepareOptions, prepare};
use craig_cfa::{DataModel, PlaceId, PlaceKind, Program};
use craig_encode::memory::{AddressMap, CellKind, Layout, Seen};
use craig_frontend::Reading;
use craig_frontend::c::load_text;
use std::fmt::Write as _;

fn program(text: &str) -> Program {
    let head = "extern void *malloc(unsigned); extern void *realloc(void *, unsigned);
        extern void *memcpy(void *, const void *, unsigned); extern void *memset(void *, int, unsigned);
        extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";
    let reading = Reading { model: DataModel::Ilp32, ..Reading::default() };
    let source = match load_text("test.c", &format!("{head}{text}"), &reading, &Budget::unlimited()) {
        Ok(loaded) => loaded.program,
        Err(e) => panic!("{e:?}"),
    };
    let options = PrepareOptions { prune: false, fold: false, cone: false, ..Default::default() };
    prepare(&source, &options, &Budget::unlimited()).expect("no limit").program
}

fn text(source: &str) -> String {
    let program = program(source);
    let memory =
        Layout::new(&program, &Seen::default(), &AddressMap::new(), &Budget::unlimited()).expect("no limit");
    let mut out: String = memory.to_string().lines().filter(|l| !l.starts_with("place ")).fold(
        String::new(),
        |mut out, line| {
            let _ = writeln!(out, "{line}");
            out
        },
    );
    for place in (0..program.exprs.place_count()).map(PlaceId::from_usize) {
        if !memory.is_accessed(place) || matches!(program.exprs.place(place).kind, PlaceKind::Var(_)) {
            continue;
        }
        let access = memory.access(place);
        let names: Vec<String> = access
            .candidates
            .iter()
            .map(|c| {
                let guard = c
                    .address
                    .filter(|_| !access.exact)
                    .map_or(String::new(), |a| format!(" if {:#x}", a.offset));
                format!("c{}{guard}", c.cell.index())
            })
            .collect();
        let names = if names.is_empty() { "nothing".into() } else { names.join(" | ") };
        let _ = writeln!(out, "{} -> {names}", program.place_text(place));
    }
    out
}

fn check(name: &str, source: &str) {
    insta::with_settings!({ snapshot_path => "memory_golden", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text(source));
    });
}

/// This must not cost an array.
#[test]
fn one_object_on_the_heap_is_scalars() {
    let program = program(
        "struct s { int state; int other; };
         int main() { struct s *p = malloc(sizeof *p); p->state = 1; if (p->state != 1) reach_error(); return 0; }",
    );
    let memory =
        Layout::new(&program, &Seen::default(), &AddressMap::new(), &Budget::unlimited()).expect("no limit");
    let state = memory.cells().iter().find(|c| c.name.ends_with(".state")).expect("a cell");
    assert!(matches!(state.kind, CellKind::Scalar { address: Some(_) }));
    assert!(memory.cells().iter().all(|c| matches!(c.kind, CellKind::Scalar { .. })));
    for place in (0..program.exprs.place_count()).map(PlaceId::from_usize) {
        assert!(!memory.is_accessed(place) || memory.access(place).exact);
    }
}

#[test]
fn golden() {
    check("scalars", "int g; int main() { int x = g; x++; return x; }");
    check(
        "pointers",
        "int x, y, *p; int main() { p = __VERIFIER_nondet_int() ? &x : &y; *p = 1; return x; }",
    );
    check(
        "fields",
        "struct s { int a; struct { short b; char c; } i; } s; int main() { s.a = 1; s.i.b = 2; s.i.c = 3; return s.i.b; }",
    );
    check("array", "int a[10], i; int main() { a[i] = 1; a[3] = 2; return a[0]; }");
    check("constant_indices", "int a[10], *p; int main() { a[1] = 1; a[3] = 2; p = &a[1]; return *p; }");
    check(
        "list",
        "struct n { int v; struct n *next; } *h;
         int main() { for (int i = 0; i < 3; i++) { struct n *n = malloc(sizeof *n); n->v = i; n->next = h; h = n; } return h->next->v; }",
    );
    check(
        "heap_array",
        "int main() { int n = __VERIFIER_nondet_int(); int *p = malloc(n * 4); p[n - 1] = 1; return p[0]; }",
    );
    check(
        "array_of_structs",
        "struct s { int a; int v[3]; } t[4]; int i, j; int main() { t[i].v[j] = 1; t[i].a = 2; struct s *p = &t[j]; return p->v[1] + p->a; }",
    );
    check("union_of_views", "union u { int i; short s[2]; } u; int main() { u.i = 5; return u.s[1]; }");
    check(
        "union_one_member",
        "union u { int i; char *p; short s; } u, v; int main() { u.i = 5; v.s = 1; return u.i + v.s; }",
    );
    check(
        "bit_fields",
        "struct f { unsigned a : 3, b : 7; } f, *p; int main() { p = &f; p->a = 1; p->b = 2; return f.a; }",
    );
    check("copy", "struct s { int a, b; int v[2]; } s, t; int i; int main() { s = t; return s.a + s.v[i]; }");
    check(
        "memcpy",
        "struct s { int a; char *p; } s, *h; int main() { h = malloc(sizeof s); memcpy(h, &s, sizeof s); return h->a; }",
    );
    check(
        "container",
        "struct l { struct l *n; }; struct i { int v; struct l l; } a; struct l *p;
         int main() { p = &a.l; struct i *i = (struct i *)((char *)p - 4); i->v = 3; return a.v; }",
    );
    check(
        "integers",
        "int x, y; int main() { unsigned n = (unsigned)&x; *(int *)n = 1; n = (n * 3) ^ 5; *(int *)n = 2; return y; }",
    );
    check(
        "many",
        "int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q; int *t;
         int main() { int x = __VERIFIER_nondet_int(); t = x == 1 ? &a : x == 2 ? &b : x == 3 ? &c : x == 4 ? &d : x == 5 ? &e : x == 6 ? &f
         : x == 7 ? &g : x == 8 ? &h : x == 9 ? &i : x == 10 ? &j : x == 11 ? &k : x == 12 ? &l : x == 13 ? &m : x == 14 ? &n : x == 15 ? &o
         : x == 16 ? &p : &q; *t = 1; return a; }",
    );
    check(
        "recursive",
        "int f(int n) { int x = n, *p = &x; if (n) f(n - 1); return *p; } int main() { return f(3); }",
    );
    check("byte_view", "int x; char *p; int main() { p = (char *)&x; x = 1; return p[2]; }");
}
