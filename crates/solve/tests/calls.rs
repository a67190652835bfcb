//! Calls through pointers of other types, and text that is written to memory: what gcc would reach is not SAFE, and safe twins are.

mod common;

use craig_base::Budget;
use craig_engine::{Engine, bmc};
use craig_solve::Arithmetic;
use craig_verdict::{Reason, Verdict};

const DECLARED: &str = "int sprintf(char *, const char *, ...); int snprintf(char *, unsigned long, const char *, ...); \
    void abort(void); void *memcpy(void *, const void *, unsigned long); \
    int x; void set(int v) { x = v; } void one(void) { x = 1; } int next(int v) { return v + 1; } \
    double twice(double d) { x = 1; return 2 * d; } ";

fn verdicts(body: &str) -> Vec<String> {
    let engines = [Engine::Bmc(bmc::Options::default()), Engine::Predicate(Default::default())];
    let body = format!("{DECLARED}{body}");
    engines.map(|engine| common::run(&body, engine, Arithmetic::Auto).0).to_vec()
}

fn check(expected: &str, bodies: &[&str]) {
    for body in bodies {
        for verdict in verdicts(body) {
            assert_eq!(verdict, expected, "{body}");
        }
    }
}

/// Each reaches the error when gcc compiles it.
#[test]
fn calls_with_another_type_happen() {
    check(
        "UNSAFE",
        &[
            "int main() { void (*f)(int) = (void (*)(int))one; f(3); if (x) reach_error(); }",
            "int main() { ((void (*)(unsigned))set)(7u); if (x == 7) reach_error(); }",
            "int main() { int (*f)(int) = (int (*)(int))set; f(7); if (x == 7) reach_error(); }",
            "int main() { unsigned (*f)(unsigned, int) = (unsigned (*)(unsigned, int))next; if (f(7, 1) == 8) reach_error(); }",
            "int main() { void (*f)() = set; f(7); if (x == 7) reach_error(); }",
            "void (*table[])(int) = { set, (void (*)(int))one }; int main() { table[1](4); if (x == 1) reach_error(); }",
            "struct s { int n; void (*f)(void); } s = { 1, (void (*)(void))next }; \
             int main() { s.f = one; void (*g)(long) = (void (*)(long))s.f; g(1); if (x) reach_error(); }",
            // Through `void *`, an integer, a union, and memory that is seen as another type.
            "int main() { void *p = (void *)one; ((int (*)(int))p)(1); if (x) reach_error(); }",
            "int main() { unsigned long p = (unsigned long)&set; ((void (*)(int, int))p)(5, 6); if (x == 5) reach_error(); }",
            "union u { void (*f)(int); int (*g)(unsigned); } u; int main() { u.f = set; u.g(5); if (x == 5) reach_error(); }",
            "struct a { int n; void (*f)(int); } a = { 0, set }; struct b { int n; int (*f)(unsigned, int); }; \
             int main() { void *p = &a; struct b *b = p; b->f(5, 6); if (x == 5) reach_error(); }",
            "int main() { void (*f)(int) = set; int (**g)(unsigned) = (int (**)(unsigned))&f; (*g)(5); if (x == 5) reach_error(); }",
            "int main() { void (*f)(int) = set; int (*g)(unsigned); memcpy(&g, &f, sizeof g); g(5); if (x == 5) reach_error(); }",
            // An argument gets another type on its way.
            "void run(void (*f)(void)) { f(); } \
             int main() { void (*f)(void *) = (void (*)(void *))run; f((void *)set); if (x == 3) reach_error(); }",
            // Old-style functions, and calls before a prototype.
            "int old(a) int a; { return a; } int main() { if (old(3, 4) == 3) reach_error(); }",
            "int later(); int main() { if (later('a') == 97) reach_error(); } int later(int c) { return c; }",
            // The error and the library through pointers.
            "int main() { void (*f)(void) = reach_error; f(); }",
            "int main() { (*reach_error)(); }",
            "int main() { int (*f)(int) = (int (*)(int))reach_error; f(1); }",
            "int main() { void *(*f)(void *, int, unsigned long) = memset; f(&x, 1, 1); if (x) reach_error(); }",
        ],
    );
}

#[test]
fn safe_twins_are_proved() {
    check(
        "SAFE",
        &[
            "int main() { void (*f)(int) = (void (*)(int))one; f(3); if (x != 1) reach_error(); }",
            "int main() { void (*f)() = set; f(7); if (x != 7) reach_error(); }",
            "int main() { int (*f)(int) = (int (*)(int))set; f(7); if (x != 7) reach_error(); }",
            "int main() { int n = __VERIFIER_nondet_int(); if (n > 100) n = 0; \
             unsigned (*f)(int, int) = (unsigned (*)(int, int))next; if ((int)f(n, 1) != n + 1) reach_error(); }",
            "void (*table[])(int) = { set, (void (*)(int))one }; int main() { table[0](4); if (x != 4) reach_error(); }",
            "union u { void (*f)(int); int (*g)(unsigned); } u; int main() { u.f = set; u.g(5); if (x != 5) reach_error(); }",
            "int old(a) int a; { return a; } int main() { if (old(3, 4) != 3) reach_error(); }",
            "int main() { void (*f)(void) = abort; f(); reach_error(); }",
            // A pointer from outside leads to no function of another type.
            "struct ops { void (*start)(long, long); } *find(void); void bad(char *s) { reach_error(); } void (*unused)(char *) = bad; \
             int main() { struct ops *ops = find(); if (!ops || !unused) return 0; ops->start(1, 2); if (x) reach_error(); }",
            // What is not called does not matter.
            "int main() { void (*f)(int) = set; double (*g)(double) = twice; f(2); if (x != 2) reach_error(); }",
        ],
    );
}

/// Where the machine would hand over something else, or nothing, a run has no meaning; that is the finding.
#[test]
fn a_mismatch_is_a_finding() {
    for (body, found) in [
        (
            "int main() { int (*f)(int) = (int (*)(int))twice; f(1); if (x) reach_error(); }",
            "call of `twice` through a pointer of another type",
        ),
        (
            "int main() { int (*f)(int) = (int (*)(int))twice; if (__VERIFIER_nondet_int()) f = (int (*)(int))next; f(1); }",
            "call of `twice` through a pointer of another type",
        ),
        (
            "int old(d) double d; { return d; } int main() { old(1); if (x) reach_error(); }",
            "call of `old` with arguments of other types",
        ),
    ] {
        let engine = Engine::Predicate(Default::default());
        let answer =
            common::answer(&format!("{DECLARED}{body}"), engine, Arithmetic::Auto, &Budget::unlimited());
        let Verdict::Unknown(Reason::Unsupported { what, span }) = &answer.verdict else {
            panic!("{body}: {}", craig_report::text::verdict(&answer));
        };
        assert_eq!(&**what, found, "{body}");
        assert!(span.end > span.start, "it has a place");
    }
}

/// An argument that is missing is arbitrary.
#[test]
fn missing_arguments() {
    check(
        "UNSAFE",
        &["int main() { void (*f)(void) = (void (*)(void))set; f(); if (x == 12) reach_error(); }"],
    );
    check(
        "SAFE",
        &["int main() { x = 3; void (*f)(void) = (void (*)(void))next; f(); if (x != 3) reach_error(); }"],
    );
}

#[test]
fn text_is_written() {
    check(
        "UNSAFE",
        &[
            "char g[16]; int main() { sprintf(g, \"%d\", 7); if (g[0]) reach_error(); }",
            "int main() { char a[16]; a[0] = 0; sprintf(a, \"x\"); if (a[0]) reach_error(); }",
            "struct s { int n; char a[8]; int m; } s; int main() { sprintf(s.a, \"x\"); if (s.a[0]) reach_error(); }",
            "struct s { int n; char a[8]; int m; } s; int main() { snprintf(s.a, 12, \"123456789\"); if (s.m) reach_error(); }",
            "char g[16]; int main() { int n = snprintf(g, 16, \"abc\"); if (n == 3 && g[2]) reach_error(); }",
        ],
    );
    check(
        "SAFE",
        &[
            "struct s { int n; char a[8]; int m; } s; int main() { s.n = 4; sprintf(s.a, \"x\"); if (s.n != 4) reach_error(); }",
            "int main() { char a[4]; int i = 0; a[3] = 0; while (i < 3) { sprintf(a, \"%d\", i); i++; } \
             if (a[3] && i < 0) reach_error(); }",
            "char g[4]; int main() { int n = 5; sprintf(g, \"x\"); g[2] = 9; if (n != 5 || g[2] != 9) reach_error(); }",
        ],
    );
}

const VARIADIC: &str = "typedef __builtin_va_list va_list; int nondet(void); \
    int sum(int n, ...) { va_list l; int s = 0; __builtin_va_start(l, n); \
        for (int i = 0; i < n; i++) s += __builtin_va_arg(l, int); __builtin_va_end(l); return s; } \
    long long mixed(int *out, ...) { va_list l, m; __builtin_va_start(l, out); \
        long long v = __builtin_va_arg(l, long long); __builtin_va_copy(m, l); unsigned u = __builtin_va_arg(l, unsigned); \
        *__builtin_va_arg(l, int *) = 7; unsigned w = __builtin_va_arg(m, unsigned); if (u != w) reach_error(); \
        __builtin_va_end(m); __builtin_va_end(l); return v + u; } \
    int printed; \
    void vlog(const char *format, va_list l) { for (; *format; format++) { \
        if (*format == 'd') printed += __builtin_va_arg(l, int); \
        if (*format == 'q') printed += (int)__builtin_va_arg(l, long long); } } \
    void log(int on, const char *format, ...) { va_list l; if (!on) return; \
        __builtin_va_start(l, format); vlog(format, l); __builtin_va_end(l); } \
    int last(int n, ...) { va_list l; __builtin_va_start(l, n); int v = __builtin_va_arg(l, int); return n ? last(n - 1, v + 1) : v; } ";

fn variadic(body: &str) -> Vec<String> {
    let engines = [Engine::Bmc(bmc::Options::default()), Engine::Predicate(Default::default())];
    let body = format!("{VARIADIC}{body}");
    engines.map(|engine| common::run(&body, engine, Arithmetic::Auto).0).to_vec()
}

/// What a call passes is what its callee reads: the first of each pair is true, the second its opposite.
#[test]
fn variadic_arguments() {
    let pairs = [
        ("int x = nondet(); if (x < 0 || x > 9) return 0;", "sum(3, x, 1, 2) == x + 3"),
        ("", "sum(2, sum(1, 5), sum(2, 3, 4)) == 12"),
        (
            "char c = 3; int y = 0; long long v = mixed(&y, 1LL << 33, c, &y);",
            "v == (1LL << 33) + 3 && y == 7",
        ),
        ("log(1, \"dqd\", 1, 2LL, 4); log(0, \"d\", 8);", "printed == 7"),
        ("int (*f)(int, ...) = sum;", "f(2, 3, 4) == 7"),
        ("", "last(3, 2) == 5"),
    ];
    for (before, claim) in pairs {
        for (not, expected) in [("!", "SAFE"), ("", "UNSAFE")] {
            let body = format!("int main() {{ {before} if ({not}({claim})) reach_error(); }}");
            for verdict in variadic(&body) {
                assert_eq!(verdict, expected, "{body}");
            }
        }
    }
}

/// Undefined, so that nothing is said of what comes behind it.
#[test]
fn variadic_arguments_that_are_not_there() {
    let wrong = "UNKNOWN (unsupported: a variadic argument that is not there or has another type";
    for body in [
        "int main() { int s = sum(3, 1, 2); if (s != 3) reach_error(); }",
        "int main() { int s = sum(2, 1, 2.0); if (s != 3) reach_error(); }",
        "int main() { int s = sum(2, 1, 2LL); if (s != 3) reach_error(); }",
        "va_list kept; void keep(int n, ...) { __builtin_va_start(kept, n); } \
         int main() { keep(1, 2); int s = __builtin_va_arg(kept, int); if (s == 2) reach_error(); }",
    ] {
        for verdict in variadic(body) {
            assert!(verdict.starts_with(wrong), "{verdict}: {body}");
        }
    }
}

/// `%n` writes through a pointer of the list. Where the format is not known, that may be.
#[test]
fn lists_that_are_printed() {
    let printer = "int vprintf(const char *, va_list); int vsprintf(char *, const char *, va_list); int x, y; char *text; \
        void tell(const char *format, ...) { va_list l; __builtin_va_start(l, format); vprintf(format, l); __builtin_va_end(l); } \
        void write(char *to, ...) { va_list l; __builtin_va_start(l, to); vsprintf(to, \"%d\", l); __builtin_va_end(l); } ";
    for (body, safe) in [
        ("int main() { tell(\"%d\", 3); if (x) reach_error(); }", true),
        ("int main() { tell(\"%n\", &x); if (x) reach_error(); }", false),
        ("int main() { char b[9]; b[0] = 'a'; write(b, 3); if (b[0] != 'a') reach_error(); }", false),
    ] {
        for verdict in variadic(&format!("{printer}{body}")) {
            assert_eq!(verdict == "SAFE", safe, "{body}: {verdict}");
        }
    }
}
