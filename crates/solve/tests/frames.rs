//! Procedures that change what belongs to others: variables of their callers, of activations that began before, of the heap. Each program has a
//! twin that reaches the error. Proofs by procedures know no call string, so these are written to deceive whoever takes two activations for one, or
//! a frame for untouched.

mod common;

use common::HEAD;
use craig_base::Budget;
use craig_cfa::Program;
use craig_cfa::interp::{self, Config, RunEnd, Values, Zero};
use craig_engine::{Engine, Selection, Silent};
use craig_frontend::Reading;
use craig_frontend::c::load_text;
use craig_solve::{Arithmetic, Plan, solve};
use craig_verdict::{Proof, Reason, Refusal, Verdict, check};
use std::sync::Arc;

/// A safe program, and a piece of its text with another that makes the error reachable.
type Pair = (&'static str, &'static str, &'static str);

/// Where runs reach the error of the twin.
const RUN: &[Pair] = &[
    (
        "void set(int *p) { *p = 2; } int f(int n) { int x = 1; set(&x); return n > 0 ? f(n - 1) : x; } \
         int main() { if (f(3) != 2) reach_error(); }",
        "!= 2",
        "== 2",
    ),
    (
        "int *g; void touch() { if (g) *g = 7; } \
         int f(int n) { int x = n; if (n == 2) g = &x; if (n > 0) f(n - 1); else touch(); return x; } \
         int main() { if (f(2) != 7) reach_error(); }",
        "!= 7",
        "== 7",
    ),
    (
        "int f(int *p, int n) { int x; if (n == 0) return p == &x; return f(&x, n - 1); } \
         int main() { if (f(0, 3)) reach_error(); }",
        "p == &x",
        "p != &x",
    ),
    (
        "struct node { int v; struct node *up; }; \
         void f(struct node *up, int n) { struct node me; struct node *p; me.v = n; me.up = up; \
           if (n == 0) { for (p = &me; p; p = p->up) p->v = 9; return; } \
           f(&me, n - 1); if (me.v != 9) reach_error(); } \
         int main() { f(0, 3); }",
        "!= 9",
        "== 9",
    ),
    (
        "int *make(int n) { return n > 0 ? make(n - 1) : malloc(4); } \
         int main() { int *p = make(2), *q = make(3); *p = 1; *q = 2; if (*p != 1) reach_error(); }",
        "!= 1",
        "== 1",
    ),
    (
        "int *grow(int *p, int n) { if (n == 0) return p; p = realloc(p, 4 * (n + 1)); return grow(p, n - 1); } \
         int main() { int *p = malloc(4); *p = 5; p = grow(p, 2); if (*p != 5) reach_error(); }",
        "!= 5",
        "== 5",
    ),
    (
        "struct s { int a, b; }; void set(int *p, int n) { if (n > 0) set(p, n - 1); else *p = 3; } \
         int main() { struct s s; s.a = 1; s.b = 2; set(&s.b, 2); if (s.a != 1 || s.b != 3) reach_error(); }",
        "s.b != 3",
        "s.b == 3",
    ),
    (
        "void copy(int *to, int *from, int n) { if (n == 0) return; *to = *from; copy(to + 1, from + 1, n - 1); } \
         int main() { int a[4] = {1, 2, 3, 4}; copy(a + 1, a, 3); if (a[3] != 1) reach_error(); }",
        "!= 1",
        "== 1",
    ),
    (
        "void swap(int *p, int *q, int n) { if (n > 0) { swap(p, q, n - 1); return; } *p = *p + *q; *q = *p - *q; *p = *p - *q; } \
         int main() { int x = 3; swap(&x, &x, 1); if (x != 0) reach_error(); }",
        "!= 0",
        "== 0",
    ),
    (
        "void inc(int *c) { ++*c; } void each(void (*f)(int *), int *c, int n) { if (n == 0) return; f(c); each(f, c, n - 1); } \
         int run(int d) { int c = 0; each(inc, &c, 3); return d ? run(d - 1) : c; } \
         int main() { if (run(1) != 3) reach_error(); }",
        "!= 3",
        "== 3",
    ),
    (
        "void all(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); \
           for (; n > 0; n--) *__builtin_va_arg(ap, int *) = 4; __builtin_va_end(ap); } \
         int f(int d) { int x = 1, y = 2; all(2, &x, &y); return d ? f(d - 1) : x + y; } \
         int main() { if (f(1) != 8) reach_error(); }",
        "!= 8",
        "== 8",
    ),
    (
        "struct s { int a, b; }; void clear(struct s *p, int n) { if (n) clear(p, n - 1); else memset(p, 0, sizeof *p); } \
         int f(int d) { struct s s; s.a = 1; s.b = 2; clear(&s, 1); return d ? f(d - 1) : s.a + s.b; } \
         int main() { if (f(1) != 0) reach_error(); }",
        "!= 0",
        "== 0",
    ),
    (
        "struct s { int a, b; }; \
         void copy(struct s *p, struct s *q, int n) { if (n) copy(p, q, n - 1); else memcpy(p, q, sizeof *p); } \
         int f(int d) { struct s s, t; s.a = s.b = 1; t.a = t.b = 5; copy(&s, &t, 1); return d ? f(d - 1) : s.a + s.b; } \
         int main() { if (f(1) != 10) reach_error(); }",
        "!= 10",
        "== 10",
    ),
    (
        "int len(char *s) { return *s ? len(s + 1) + 1 : 0; } \
         int f(int d) { char t[4] = \"abc\"; t[d] = 0; return d ? f(d - 1) + len(t) : 0; } \
         int main() { if (f(2) != 3) reach_error(); }",
        "!= 3",
        "== 3",
    ),
    (
        "void odd(int n, int *r); void even(int n, int *r) { int x = 5; if (n == 0) { *r = 1; return; } odd(n - 1, &x); *r = x; } \
         void odd(int n, int *r) { int y = 6; if (n == 0) { *r = 0; return; } even(n - 1, &y); *r = y; } \
         int main() { int r = 2; even(4, &r); if (r != 1) reach_error(); }",
        "r != 1",
        "r == 1",
    ),
    (
        "void aim(int **pp, int *q, int n) { if (n) aim(pp, q, n - 1); else *pp = q; } \
         int f(int d) { int a = 1, b = 2, *p = &a; aim(&p, &b, 1); *p = 5; return d ? f(d - 1) : a * 10 + b; } \
         int main() { if (f(1) != 15) reach_error(); }",
        "!= 15",
        "== 15",
    ),
    (
        "union u { int i; unsigned char c[4]; }; void poke(unsigned char *c, int n) { if (n) poke(c, n - 1); else *c = 1; } \
         int f(int d) { union u u; u.i = 0; poke(u.c, 1); return d ? f(d - 1) : u.i; } \
         int main() { if (f(1) == 0) reach_error(); }",
        "== 0",
        "!= 0",
    ),
    (
        "void put(int *a, int i, int v) { if (v > 5) put(a, i, v - 1); else a[i] = v; } \
         int f(int d) { int a[3] = {0, 0, 0}; put(a, 1, 7); return d ? f(d - 1) : a[1]; } \
         int main() { if (f(1) != 5) reach_error(); }",
        "!= 5",
        "== 5",
    ),
    (
        "int f(int *p, int n) { int x = n; if (p) *p = 8; if (n == 0) return x; f(&x, n - 1); return x; } \
         int main() { if (f(0, 2) != 8) reach_error(); }",
        "!= 8",
        "== 8",
    ),
    (
        "int f(int n) { int *p = &n; *p = *p + 1; if (n < 5) return f(n); return n; } \
         int main() { if (f(0) != 5) reach_error(); }",
        "!= 5",
        "== 5",
    ),
    (
        "int *g; int f(int n) { if (!g) g = &n; if (n > 0) f(n - 1); else *g = 42; return n; } \
         int main() { if (f(3) != 42) reach_error(); }",
        "!= 42",
        "== 42",
    ),
    (
        "struct box { int *p; }; void fill(struct box b, int n) { if (n) fill(b, n - 1); else *b.p = 6; } \
         int f(int d) { int x = 0; struct box b; b.p = &x; fill(b, 1); return d ? f(d - 1) : x; } \
         int main() { if (f(1) != 6) reach_error(); }",
        "!= 6",
        "== 6",
    ),
    (
        "int a[2]; int *at(int i) { return i > 1 ? at(i - 2) : &a[i]; } \
         int main() { *at(5) = 3; if (a[1] != 3) reach_error(); }",
        "!= 3",
        "== 3",
    ),
    (
        "struct t { struct t *l; int v; }; struct t *make(int n) { struct t *t = malloc(sizeof *t); t->v = n; t->l = n ? make(n - 1) : 0; return t; } \
         int sum(struct t *t) { return t ? t->v + sum(t->l) : 0; } \
         int main() { if (sum(make(3)) != 6) reach_error(); }",
        "!= 6",
        "== 6",
    ),
    (
        "int f(int n) { int *p = calloc(1, 4), v = *p; *p = 1; free(p); return n ? f(n - 1) : v; } \
         int main() { if (f(3) != 0) reach_error(); }",
        "!= 0",
        "== 0",
    ),
    (
        "void bump(int *p, int n) { if (n > 0) { ++*p; bump(p, n - 1); } } \
         int main() { for (int i = 0; i < 3; i++) { int x = i; bump(&x, 2); if (x != i + 2) reach_error(); } }",
        "i + 2",
        "i + 3",
    ),
    (
        "int *same(int *p, int n) { return n ? same(p, n - 1) : p; } \
         int f(int d) { int x = 0; *same(&x, 2) = 4; return d ? f(d - 1) : x; } \
         int main() { if (f(1) != 4) reach_error(); }",
        "!= 4",
        "== 4",
    ),
    (
        "int f(int *p, int n) { int a[n + 1]; a[n] = n; if (p) *p = 7; if (n == 0) return a[0]; f(&a[n], n - 1); return a[n]; } \
         int main() { if (f(0, 2) != 7) reach_error(); }",
        "!= 7",
        "== 7",
    ),
    (
        "struct s { int a, b; }; void move(struct s *p, struct s *q, int n) { if (n) move(p, q, n - 1); else *p = *q; } \
         int f(int d) { struct s s, t; s.a = 1; s.b = 2; t.a = 3; t.b = 4; move(&s, &t, 1); return d ? f(d - 1) : s.b; } \
         int main() { if (f(1) != 4) reach_error(); }",
        "!= 4",
        "== 4",
    ),
    (
        "int x, y; void set(int *p, int n) { if (n > 0) set(p, n - 1); else *p = 1; } \
         int main() { set(__VERIFIER_nondet_int() ? &x : &y, 2); if (x + y != 1) reach_error(); }",
        "!= 1",
        "== 1",
    ),
    (
        "int total; void add(int *to, int n) { if (n <= 0) return; *to = *to + n; add(to, n - 1); } \
         int main() { add(&total, 5); if (total < 0) reach_error(); }",
        "total < 0",
        "total > 0",
    ),
    (
        "int fresh(int n) { int x = n, *p = &x; if (n > 0) fresh(n - 1); return *p; } \
         int main() { if (fresh(4) != 4) reach_error(); }",
        "!= 4",
        "== 4",
    ),
    (
        "unsigned long g; int f(int n) { int x; unsigned long a = (unsigned long)&x; if (n == 0) return a == g; g = a; return f(n - 1); } \
         int main() { if (f(1)) reach_error(); }",
        "a == g",
        "a != g",
    ),
    (
        "void write(char *b, int n) { if (n) write(b, n - 1); else sprintf(b, \"%d\", 7); } \
         int f(int d) { char b[4] = \"a\"; write(b, 1); return d ? f(d - 1) : b[0]; } \
         int main() { if (f(1) == 'a') reach_error(); }",
        "== 'a'",
        "!= 'a'",
    ),
    (
        "struct cell { int v; struct cell *next; }; \
         void push(struct cell **head, int n) { struct cell *c = malloc(sizeof *c); c->v = n; c->next = *head; *head = c; if (n > 0) push(&c->next, n - 1); } \
         int last(struct cell *c) { return c->next ? last(c->next) : c->v; } \
         int main() { struct cell *head = 0; push(&head, 2); if (last(head) != 0) reach_error(); }",
        "!= 0",
        "== 0",
    ),
];

/// Where it is the environment that decides: what may not be SAFE.
const OPEN: &[&str] = &[
    "int *g; int same() { int y; return g == &y; } void f() { int x; g = &x; } int main() { f(); if (same()) reach_error(); }",
    "int *make(int n) { return n > 0 ? make(n - 1) : malloc(4); } \
     int main() { int *p = make(1); free(p); int *q = make(2); if (p == q) reach_error(); }",
    "int *g; int f(int n) { int same = 0; for (int i = 0; i < 2; i++) { int x = i; if (i == 0) g = &x; else same = g == &x; } return n ? f(n - 1) : same; } \
     int main() { if (f(1)) reach_error(); }",
    "int *g; int f(int n) { int same = 1; for (int i = 0; i < 2; i++) { int x = i; if (i == 0) g = &x; else same = g == &x; } return n ? f(n - 1) : same; } \
     int main() { if (!f(1)) reach_error(); }",
    "unsigned long at(int n) { int x; return n ? at(n - 1) : (unsigned long)&x; } int main() { if (at(1) == at(2)) reach_error(); }",
    "unsigned long at(int n) { int x; return n ? at(n - 1) : (unsigned long)&x; } int main() { if (at(1) != at(2)) reach_error(); }",
    "int *g; int f(int n) { int x; if (n == 0) return g == &x; return 2; } int h() { int x; g = &x; return 0; } \
     int main() { h(); if (f(0) == 1) reach_error(); f(1); }",
    "int f(int n) { int x; return (unsigned long)&x % 16 == 4 || (n && f(n - 1)); } int main() { if (f(2)) reach_error(); }",
];

/// Work for an answer: what is decided needs less than a tenth of a second.
const WORK: u64 = 300_000;

fn load(body: &str) -> Arc<Program> {
    let text = format!(
        "{HEAD}void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); \
        void *realloc(void *, unsigned long); void free(void *); void *memset(void *, int, unsigned long); \
        void *memcpy(void *, const void *, unsigned long); int sprintf(char *, const char *, ...);\n{body}"
    );
    let loaded = load_text("test.c", &text, &Reading::default(), &Budget::unlimited());
    Arc::new(loaded.unwrap_or_else(|e| panic!("{body}: {e:?}")).program)
}

/// What engines that take procedures as they are say of a program, each in both kinds of arithmetic.
fn proofs(body: &str) -> Vec<(&'static str, Verdict)> {
    let mut said = Vec::new();
    for engine in Engine::all().into_iter().filter(|e| ["spacer", "pushdown", "runs"].contains(&e.name())) {
        for arithmetic in [Arithmetic::Int, Arithmetic::Bv] {
            let selection = Selection { only: Some(engine.clone()), ..Selection::default() };
            let plan = Plan { selection, arithmetic, ..Plan::default() };
            let budget = Budget::unlimited().with_work(WORK);
            let answer = solve(load(body), Reading::default(), &plan, &budget, &mut Silent);
            // A refused certificate is a mistake, as a wrong one would be.
            for reason in answer.attempts.iter().filter_map(|attempt| attempt.reason.as_ref()) {
                let wrong = match reason {
                    Reason::Certificate(Refusal::Undecided(_)) => false,
                    Reason::Certificate(_) | Reason::Contradiction(_) | Reason::Internal(_) => true,
                    _ => false,
                };
                assert!(!wrong, "{} {arithmetic:?}: {reason:?}: {body}", engine.name());
            }
            said.push((engine.name(), answer.verdict));
        }
    }
    said
}

fn errs(body: &str) -> bool {
    let config = Config { steps: 100_000, ..Config::default() };
    let run = interp::run(&load(body), &config, &mut Values::new(Vec::new(), Zero), &mut std::io::sink());
    run.end == RunEnd::Error
}

fn is_safe(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Safe(..))
}

/// No twin is SAFE, nor does a proof of the program hold for it; what is proved of the programs is counted.
#[test]
fn what_callees_change_is_changed() {
    let (mut proved, mut open) = (0, Vec::new());
    for (body, piece, other) in RUN {
        let twin = body.replacen(piece, other, 1);
        assert_ne!(twin, **body);
        assert!(!errs(body), "{body}");
        assert!(errs(&twin), "{twin}");
        for (engine, verdict) in proofs(&twin) {
            assert!(!is_safe(&verdict), "{engine}: {twin}");
        }
        let said = proofs(body);
        for (engine, verdict) in &said {
            assert!(!matches!(verdict, Verdict::Unsafe(..)), "{engine}: {body}");
            if let Verdict::Safe(certificate, _) = verdict {
                assert!(
                    check(&load(&twin), certificate, false, &Budget::unlimited()).is_err(),
                    "{engine}: {twin}"
                );
            }
        }
        let by_procedures = said.iter().any(|(_, verdict)| match verdict {
            Verdict::Safe(certificate, _) => matches!(certificate.proof, Proof::Procedures(_)),
            _ => false,
        });
        match by_procedures {
            true => proved += 1,
            false => open.push(*body),
        }
    }
    eprintln!("{proved} of {} proved by procedures; not: {open:#?}", RUN.len());
    assert!(proved >= 8, "{proved}");
}

/// Where objects lie that are gone, or that a number tells of, is open.
#[test]
fn addresses_of_other_activations_are_open() {
    for body in OPEN {
        for (engine, verdict) in proofs(body) {
            assert!(!is_safe(&verdict), "{engine}: {body}");
        }
    }
}
