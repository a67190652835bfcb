//! The claims of docs/c-semantics.md: small programs, and how a run of each ends in both data models. Where nothing else is said
//! everything that is left open is zero.

mod support;

use craig_cfa::interp::{self, Config, Values, Zero};
use craig_frontend::{Externs, Reading};
use support::{MODELS, load_with, messages, reading};

/// The end of a run in words, up to the first colon.
fn ends(text: &str, reading: &Reading) -> String {
    let program = match load_with(text, reading) {
        Ok(program) => program,
        Err(rejected) => return format!("refused, {}", messages(&rejected).join("; ")),
    };
    let run = interp::run(&program, &Config::default(), &mut Zero, &mut Vec::new());
    let text = run.end.to_string();
    text.split_once(": ")
        .filter(|(kind, _)| *kind != "unsupported")
        .map_or(text.clone(), |(kind, _)| kind.into())
}

/// Texts of the body of main, and how it ends. What stands before `@` goes to file scope.
fn check(table: &[(&str, &str)]) {
    for model in MODELS {
        for (text, expected) in table {
            let (outside, body) = text.split_once('@').unwrap_or(("", text));
            let text = format!("{outside}\nint main(void) {{ {body} return 0; }}");
            assert_eq!(ends(&text, &reading(model)), *expected, "{model:?}\n{text}");
        }
    }
}

const FINE: &str = "ended with status 0";

#[test]
fn overflow_and_shifts() {
    check(&[
        ("int x = 2147483647; x++;", "signed overflow"),
        ("int x = -2147483647 - 1; x = -x;", "signed overflow"),
        ("int x = -2147483647 - 1, y = x / -1;", "signed overflow"),
        ("int x = -2147483647 - 1, y = x % -1;", "signed overflow"),
        ("int z = 0, x = 1 / z;", "division by zero"),
        ("unsigned x = 4294967295u; x++; return x;", FINE),
        // The sum is an int, and storing it is a conversion.
        ("short x = 32767; x++; return x + 32768;", FINE),
        ("int x = 1, n = 32; x <<= n;", "shift amount out of range"),
        ("int x = 1, n = -1; x >>= n;", "shift amount out of range"),
        ("int x = 1; x <<= 31; return x != -2147483647 - 1;", FINE),
        ("int x = -3; return x << 1 != -6 || x >> 1 != -2;", FINE),
        ("double d = 1e10; int x = d;", "conversion of a float out of range"),
        ("double d = -0.5; unsigned x = d; return x;", FINE),
    ]);
}

#[test]
fn objects_and_lifetimes() {
    check(&[
        ("int a[3], *p = a; p[3] = 1;", "access out of bounds"),
        ("int a[3], i = -1; a[i] = 1;", "access out of bounds"),
        ("int x; ((char *)&x)[4] = 1;", "access out of bounds"),
        // The bounds are those of the whole object.
        ("int a[2][2] = {{1, 2}, {3, 4}}, i = 2; return a[0][i] - 3;", FINE),
        ("struct { int a, b; } x = {1, 2}; int *p = &x.a; return p[1] - 2;", FINE),
        ("int *p = 0; *p = 1;", "null dereference"),
        ("int *p = (int *)12345678; *p = 1;", "invalid pointer"),
        (
            "int *f(void) { int x = 3; return &x; } @ return *f();",
            "use of a local variable after its function returned",
        ),
        // A block is no function: its variables live until the function returns.
        ("int *p; { int x = 3; p = &x; } return *p - 3;", FINE),
        (
            "void *malloc(unsigned long); void free(void *); @ int *p = malloc(4); free(p); *p = 1;",
            "use after free",
        ),
        (
            "void *malloc(unsigned long); void free(void *); @ int *p = malloc(4); free(p); free(p);",
            "invalid free",
        ),
        ("void free(void *); @ int x; free(&x);", "invalid free"),
        ("void free(void *); @ free(0);", FINE),
        ("void *malloc(unsigned long); @ return malloc(0) == 0;", FINE),
        ("int a[3], *p = a + 1000; return p - a - 1000;", FINE),
        ("char *s = \"abc\"; s[0] = 'x'; return s[0] != 'x';", FINE),
        ("int x = 5; long a = (long)&x; return *(int *)a - 5;", FINE),
        (
            "void *memcpy(void *, const void *, unsigned long); @ char a[4]; memcpy(a + 1, a, 2);",
            "memcpy of overlapping objects",
        ),
        ("int n = -1; int a[n];", "memory limit of the interpreter"),
    ]);
}

#[test]
fn functions() {
    check(&[
        ("void (*f)(void) = 0; f();", "undefined behaviour"),
        ("int unknown(int); @ return unknown(3);", FINE),
        ("int unknown(int), (*f)(int) = unknown; @ return f(3);", FINE),
        ("void (*f)(void) = (void (*)(void))4096; @ f();", FINE),
        // Another type than that of the call: what is missing is arbitrary.
        (
            "int x = 1; void set(int v) { x = v; } void (*f)(void) = (void (*)(void))set; @ f(); return x;",
            FINE,
        ),
        ("int x = 1; int set(a, b) int a, b; { return x = b; } @ set(3); return x;", FINE),
        ("int f() { return 3; } int g(void) { return f(1, 2); } @ return g() - 3;", FINE),
        ("void f(void) {} int (*p)(void) = (int (*)(void))f; @ return p();", FINE),
        // Library functions are what they are through pointers too.
        ("void reach_error(void); void (*f)(void) = reach_error; @ f();", "reached the error"),
        ("void reach_error(void) {} @ int (*f)(int) = (int (*)(int))reach_error; f(1);", "reached the error"),
        ("void reach_error(void); @ (*reach_error)();", "reached the error"),
        ("void abort(void); @ void (*f)(void) = abort; f(); return 1;", "aborted"),
        ("void __assert_fail(); void (*f)() = __assert_fail; @ f(1, 2);", "reached the error"),
        ("void exit(int); void (*f)(int) = exit; @ f(7);", "ended with status 7"),
        (
            " /* The text begins here: */ void exit(int); void (*f)(int) = exit; @ f(7);",
            "ended with status 7",
        ),
        (
            "void __VERIFIER_assume(int); void (*f)(int) = __VERIFIER_assume; @ f(0);",
            "stopped at an assumption that does not hold",
        ),
        (
            "void *memset(void *, int, unsigned long); @ int x = 1; void *(*f)(void *, int, unsigned long) = memset; f(&x, 0, 4); return x;",
            FINE,
        ),
        ("void stop(void) __attribute__((noreturn)); @ stop(); return 1;", "aborted"),
        ("void exit(int); @ exit(7);", "ended with status 7"),
        ("void abort(void); @ abort();", "aborted"),
        ("void reach_error(void); @ reach_error();", "reached the error"),
        // Calls of the error function are the error even if it has a body.
        ("void reach_error(void) {} @ reach_error();", "reached the error"),
        (
            "void __VERIFIER_assume(int); @ __VERIFIER_assume(0);",
            "stopped at an assumption that does not hold",
        ),
        ("int f(int x) { if (x) return x; } @ f(0);", FINE),
        (
            "int sum(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); return __builtin_va_arg(l, int); } @ return sum(1, 4u) != 4;",
            FINE,
        ),
        // A list does not outlive its function, nor `va_end`.
        (
            "__builtin_va_list l; void start(int n, ...) { __builtin_va_start(l, n); } @ start(1, 2); __builtin_va_arg(l, int);",
            "unsupported: a variadic argument that is not there or has another type",
        ),
        (
            "void end(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); __builtin_va_end(l); __builtin_va_arg(l, int); } @ end(1, 2);",
            "null dereference",
        ),
        (
            "int sum(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); return __builtin_va_arg(l, int); } @ sum(1);",
            "unsupported: a variadic argument that is not there or has another type",
        ),
        (
            "int sum(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); return __builtin_va_arg(l, int); } @ sum(1, 2.5);",
            "unsupported: a variadic argument that is not there or has another type",
        ),
        ("__builtin_unreachable();", "undefined behaviour"),
    ]);
}

#[test]
fn not_modelled() {
    check(&[
        ("long double x = 1; x = x + 1;", "unsupported: long double arithmetic"),
        ("void *p = &&here; here:;", "unsupported: address of a label"),
        (
            "struct { int n; int a[]; } static x = {1, {2}};",
            "unsupported: initialiser of a flexible array member",
        ),
        ("int setjmp(int *); @ int b[9]; setjmp(b);", "unsupported: call of `setjmp`"),
        ("int x; __sync_fetch_and_add(&x, 1);", "unsupported: call of `__sync_fetch_and_add`"),
        (
            "int f(double d) { return d; } @ int (*p)(int) = (int (*)(int))f; p(1);",
            "unsupported: call of `f` through a pointer of another type",
        ),
        (
            "struct s { int a, b; }; struct s f(void) { struct s x = {1, 2}; return x; } @ int (*p)(void) = (int (*)(void))f; p();",
            "unsupported: call of `f` through a pointer of another type",
        ),
        (
            "char f(void) { return 1; } @ int (*p)(void) = (int (*)(void))f; return p();",
            "unsupported: call of `f` through a pointer of another type",
        ),
        (
            "int f(); @ f(1.5); } int f(int x) { return x;",
            "unsupported: call of `f` with arguments of other types",
        ),
        (
            "int f(x) double x; { return 0; } @ f(1);",
            "unsupported: call of `f` with arguments of other types",
        ),
        (
            "int sprintf(char *, const char *, ...); @ char b[9]; int (*p)(char *, const char *, ...) = sprintf; p(b, \"x\");",
            "unsupported: call of `sprintf` through a pointer",
        ),
        ("void free(); void (*f)() = free; @ f(0);", "unsupported: call of `free` through a pointer"),
        (
            "int printf(const char *, ...); @ int n; printf(\"x%hhn\", &n);",
            "unsupported: `printf` that may write through an argument",
        ),
    ]);
    for model in MODELS {
        let reading = Reading { externs: Externs::Error, ..reading(model) };
        let found = ends("int f(void); int main(void) { return f(); }", &reading);
        assert_eq!(found, "unsupported: call of `f`, which has no body");
    }
}

/// The values that `__VERIFIER_nondet_*` give; what is not initialised is a choice of its own.
#[test]
fn arbitrary_values() {
    let text = "int __VERIFIER_nondet_int(void); _Bool __VERIFIER_nondet_bool(void); unsigned char __VERIFIER_nondet_uchar(void);
        int main(void) { int a = __VERIFIER_nondet_int(), u; unsigned char c = __VERIFIER_nondet_uchar();
        return a * 100 + __VERIFIER_nondet_bool() * 10 + (c == 255) + u * 0; }";
    for model in MODELS {
        let program = load_with(text, &reading(model)).unwrap();
        let mut values = Values::new(vec![7, 255, 1], Zero);
        let run = interp::run(&program, &Config::default(), &mut values, &mut Vec::new());
        assert_eq!(run.end.to_string(), "ended with status 711");
    }
}
