//! Texts that are no C: each is refused with a message and the place (line and column) where it went wrong.

mod support;

use craig_cfa::DataModel;
use support::{load_with, messages, reading};

/// Texts, and the first message for each in the form `line:column: message`.
fn refused(table: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in table {
        let found = match load_with(text, &reading(DataModel::Lp64)) {
            Ok(_) => "accepted".to_string(),
            Err(rejected) => messages(&rejected).swap_remove(0),
        };
        if found != *expected {
            wrong.push(format!("{text}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names() {
    refused(&[
        ("int main(void) { return x; }", "1:25: `x` is not declared"),
        ("int main(void) {\n    x = 1;\n    return 0;\n}", "2:5: `x` is not declared"),
        ("int x = y; int main(void) { return x; }", "1:9: `y` is not declared"),
        ("int main(void) { int x; { return y; } int y; }", "1:34: `y` is not declared"),
        ("int main(void) { return f; }", "1:25: `f` is not declared"),
        ("typedef int t; int main(void) { return t; }", "1:40: `t` is a type, not a value"),
        ("enum e { A = x }; int main(void) { return 0; }", "1:14: `x` is not declared"),
        (
            "int f(void) { return 1; }\nint f(void) { return 2; }\nint main(void) { return f(); }",
            "2:5: function `f` is defined twice",
        ),
        ("int x = 1; int x = 2; int main(void) { return x; }", "1:16: `x` is initialised twice"),
        ("int x; double x; int main(void) { return x; }", "1:15: `x` is declared with another type before"),
        (
            "int f(void); double f(void); int main(void) { return 0; }",
            "1:21: `f` is declared with another type before",
        ),
        ("int main(void) { int x; int x; return 0; }", "1:29: `x` is declared twice in this scope"),
        ("int main(void) { int x; static int x; return 0; }", "1:36: `x` is declared twice in this scope"),
        (
            "int f(int a, int a) { return a; } int main(void) { return f(1, 2); }",
            "1:14: `a` is declared twice in this scope",
        ),
        (
            "int f; int f(void) { return 0; } int main(void) { return 0; }",
            "1:12: `f` is declared as a function and as something else",
        ),
        (
            "int f(void) { return 0; } int f; int main(void) { return 0; }",
            "1:31: `f` is declared as a variable and as something else",
        ),
        ("enum e { A, A }; int main(void) { return A; }", "1:13: `A` is declared twice in this scope"),
        (
            "typedef int t; typedef char t; int main(void) { return 0; }",
            "1:29: `t` is declared twice in this scope",
        ),
        ("int main(void) { extern int g = 4; return 0; }", "1:29: `g` is extern and initialised"),
        (
            "int f(a, b) int c; { return a; } int main(void) { return f(1, 2); }",
            "1:17: `c` is no parameter of this function",
        ),
        ("main() { return 0; }\nmain() { return 1; }", "2:1: function `main` is defined twice"),
    ]);
}

#[test]
fn types() {
    refused(&[
        ("struct s; int main(void) { return sizeof(struct s); }", "1:35: sizeof a type that is not complete"),
        ("int main(void) { struct s x; return 0; }", "1:27: variable `x` has a type without size"),
        (
            "struct s { struct s inner; }; int main(void) { return 0; }",
            "1:21: member `inner` has a type without size",
        ),
        ("struct s { int a; int a; }; int main(void) { return 0; }", "1:23: member `a` is declared twice"),
        (
            "struct s { int a; }; struct s { int b; }; int main(void) { return 0; }",
            "1:22: `s` is defined twice",
        ),
        (
            "struct s { int a; }; union s x; int main(void) { return 0; }",
            "1:22: this tag is already that of another kind of type",
        ),
        (
            "enum s { A }; struct s *x; int main(void) { return 0; }",
            "1:15: this tag is already that of another kind of type",
        ),
        (
            "struct s { int a; }; enum s x; int main(void) { return 0; }",
            "1:22: this tag is that of a struct or union",
        ),
        ("int a[-1]; int main(void) { return 0; }", "1:7: the size of an array is negative"),
        ("int main(void) { int a[2 - 3]; return 0; }", "1:24: the size of an array is negative"),
        ("int a[1.5]; int main(void) { return 0; }", "1:7: the size of an array must be an integer"),
        (
            "int n; int a[n]; int main(void) { return 0; }",
            "1:12: the size of an array at file scope must be constant",
        ),
        (
            "int main(void) { int n = 2; static int a[n]; return 0; }",
            "1:40: the size of a static array must be constant",
        ),
        (
            "int main(void) { int n = 2; typedef int t[n]; return 0; }",
            "1:41: a typedef of an array of variable length is not supported",
        ),
        (
            "int main(void) { int n = 2; int (*p)[n]; return 0; }",
            "1:33: a pointer to an array of variable length is not supported",
        ),
        (
            "void f(int n, int a[3][n]) { } int main(void) { return 0; }",
            "1:19: an array of variable length inside another is not supported",
        ),
        (
            "int main(void) { int n = 2; struct s { int a[n]; } x; return 0; }",
            "1:44: the size of an array in a struct must be constant",
        ),
        ("int main(void) { int x[]; return 0; }", "1:22: variable `x` has a type without size"),
        ("int main(void) { return sizeof(int[]); }", "1:25: sizeof a type that is not complete"),
        ("int a[3][]; int main(void) { return 0; }", "1:5: an array of a type without size"),
        (
            "int a[1ll << 60][1 << 20]; int main(void) { return 0; }",
            "1:5: the array is larger than the address space",
        ),
        ("void a[3]; int main(void) { return 0; }", "1:6: an array of a type without size"),
        ("int main(void) { void x; return 0; }", "1:23: variable `x` has a type without size"),
        (
            "int f(void)[3]; int main(void) { return 0; }",
            "1:5: a function cannot return an array or a function",
        ),
        (
            "int f(void)(int); int main(void) { return 0; }",
            "1:5: a function cannot return an array or a function",
        ),
        (
            "struct s { int a : 33; }; int main(void) { return 0; }",
            "1:16: a bit-field of width 33 in a type of 32 bits",
        ),
        (
            "struct s { int a : -1; }; int main(void) { return 0; }",
            "1:16: a bit-field of width -1 in a type of 32 bits",
        ),
        ("struct s { float a : 3; }; int main(void) { return 0; }", "1:18: a bit-field must be an integer"),
        (
            "struct s { int a : 0; }; int main(void) { return 0; }",
            "1:16: a bit-field of width 0 cannot have a name",
        ),
        ("int main(void) { short long x; return 0; }", "1:18: these specifiers do not go together"),
        ("int main(void) { unsigned signed x; return 0; }", "1:18: these specifiers do not go together"),
        ("int main(void) { int char x; return 0; }", "1:18: these specifiers do not go together"),
        ("int main(void) { unsigned float x; return 0; }", "1:18: these specifiers do not go together"),
        ("int main(void) { _Complex double x; return 0; }", "1:18: complex numbers are not supported"),
        ("enum e { A = 1.5 }; int main(void) { return 0; }", "1:14: this must be an integer constant"),
        (
            "enum e { A = 1, B = (__int128)1 << 70 }; int main(void) { return 0; }",
            "1:17: the value of an enumerator fits no type",
        ),
        (
            "typedef int v __attribute__((vector_size(16))); v x; int main(void) { return 0; }",
            "1:13: vector types are not supported",
        ),
        (
            "struct s { int x; } __attribute__((scalar_storage_order(\"big-endian\"))); int main(void) { return 0; }",
            "1:12: members in another order of bytes or bits are not supported",
        ),
    ]);
}

#[test]
fn operators() {
    refused(&[
        ("int main(void) { struct s *p = 0; return p->a; }", "1:42: `struct s` is incomplete: no member `a`"),
        (
            "struct s { int a; }; int main(void) { struct s v; return v.b; }",
            "1:58: `struct s` has no member `b`",
        ),
        (
            "struct s { int a; }; int main(void) { struct s *v = 0; return v.a; }",
            "1:63: member `a` of something that is no struct or union",
        ),
        ("int main(void) { int x; return x->a; }", "1:32: `->a` of something that is no pointer"),
        ("int main(void) { int x; return x.a; }", "1:32: member `a` of something that is no struct or union"),
        ("int main(void) { int x = 1; return *x; }", "1:36: `*` of something that is no pointer"),
        ("int main(void) { int x = 1; return x(); }", "1:36: only a function can be called"),
        (
            "int main(void) { int x = 1; return x[2]; }",
            "1:36: an index into something that is neither array nor pointer",
        ),
        (
            "struct s { int a; }; int main(void) { struct s x; x = 1; return 0; }",
            "1:51: cannot convert `32-bit integer` to `struct s`",
        ),
        (
            "struct s { int a; }; int main(void) { struct s x; return x; }",
            "1:51: cannot convert `struct s` to `32-bit integer`",
        ),
        (
            "struct s { int a; }; int main(void) { struct s x; if (x) return 1; return 0; }",
            "1:55: a condition must be a number or a pointer",
        ),
        (
            "struct s { int a; }; int main(void) { struct s x; return x + 1; }",
            "1:58: this operator needs numbers or pointers",
        ),
        (
            "struct s { int a; }; int main(void) { struct s x; return !x; }",
            "1:58: a condition must be a number or a pointer",
        ),
        ("int main(void) { 1 = 2; return 0; }", "1:18: only an object can be assigned to"),
        ("int main(void) { int a[3]; a = 0; return 0; }", "1:28: only an object can be assigned to"),
        ("int main(void) { 1++; return 0; }", "1:18: only an object can be assigned to"),
        ("int main(void) { return &1 != 0; }", "1:25: the address of something that has none"),
        (
            "struct s { int a : 3; } s; int main(void) { return &s.a != 0; }",
            "1:52: the address of a bit-field",
        ),
        ("void f(void) {} int main(void) { return f(); }", "1:41: a value of type void is used"),
        (
            "void f(void) {} int main(void) {\n    int x = f();\n    return x;\n}",
            "2:13: a value of type void is used",
        ),
        ("int main(void) { double d = 1; return d % 2; }", "1:39: this operator needs integers"),
        ("int main(void) { double d = 1; return d << 2; }", "1:39: a shift of a floating value"),
        ("int main(void) { double d = 1; return ~d; }", "1:39: this operator needs an integer"),
        ("int main(void) { int *p = 0, *q = 0; return p + q; }", "1:45: this operator cannot take a pointer"),
        ("int main(void) { int *p = 0; return p * 2; }", "1:37: this operator cannot take a pointer"),
        ("int main(void) { int *p = 0; return -p; }", "1:37: this operator needs a number"),
        ("int main(void) { int *p = 0; return p + 1.0 != 0; }", "1:37: a pointer moves by an integer"),
        (
            "struct s; int main(void) { struct s *p = 0; return p + 1 != 0; }",
            "1:52: arithmetic on a pointer to a type without size",
        ),
        (
            "int f(int a) { return a; }\nint main(void) {\n    return f(1, 2);\n}",
            "3:12: 2 arguments for 1 parameter of `f`",
        ),
        (
            "int f(int a) { return a; } int main(void) { return f(); }",
            "1:52: 0 arguments for 1 parameter of `f`",
        ),
        ("int f(int a, ...); int main(void) { return f(); }", "1:44: 0 arguments for 1 parameter of `f`"),
        (
            "void *malloc(unsigned long); int main(void) { malloc(1, 2); }",
            "1:47: 2 arguments for 1 parameter of `malloc`",
        ),
        ("int main(void) { memset(0, 1); }", "1:18: argument 3 of this function is missing"),
        ("int main(void) { __VERIFIER_assume(); }", "1:18: `__VERIFIER_assume` needs a condition"),
        ("int main(void) { vprintf(\"x\"); }", "1:18: `vprintf` takes 2 arguments"),
        ("int main(void) { strlen(); }", "1:18: 0 arguments for 1 parameter of `strlen`"),
        (
            "int main(void) { int (*f)(int) = 0; return f(1, 2); }",
            "1:44: 2 arguments for 1 parameter of the function",
        ),
        (
            "int f(int *a) { return *a; } struct s { int a; } s; int main(void) { return f(s); }",
            "1:79: cannot convert `struct s` to `32-bit integer *`",
        ),
        (
            "int main(void) { return _Generic(1.0, int: 1); }",
            "1:25: no association of `_Generic` has the type of the expression",
        ),
        (
            "int a[_Generic((char)1, char: 1, signed char: 2)]; int main(void) { return a[0]; }",
            "1:7: a choice between types that are not told apart",
        ),
        ("int main(void) { return __builtin_offsetof(int, x); }", "1:25: no member `x`"),
        ("int main(void) { return (struct s){1}.a; }", "1:25: `struct s` is incomplete: no member `a`"),
        (
            "struct s { int a; }; int main(void) { struct s x; return 1 ? x : 2; }",
            "1:58: the branches of `?:` have types that do not go together",
        ),
    ]);
}

#[test]
fn initialisers() {
    refused(&[
        ("struct s { int a; }; int main(void) { struct s x = {.b = 1}; return 0; }", "1:53: no member `b`"),
        ("int main(void) { int a[2] = {[5] = 1}; return 0; }", "1:30: this element is outside of the array"),
        (
            "int main(void) { int a[2] = {[1 ... 2] = 1}; return 0; }",
            "1:30: this element is outside of the array",
        ),
        (
            "int main(void) { int a[] = {[2 ... 1] = 1}; return 0; }",
            "1:29: this range of elements cannot be initialised",
        ),
        ("int main(void) { int a[2] = {[-1] = 1}; return 0; }", "1:31: this must not be negative"),
        (
            "int main(void) { int x = {[0] = 1}; int y = {.a = 2}; return 0; }",
            "1:27: a designator for something that is no array, struct or union",
        ),
        (
            "int main(void) { int a[2] = 5; return 0; }",
            "1:29: cannot convert `32-bit integer` to `32-bit integer[]`",
        ),
        ("int main(void) { int a[] = 5; return 0; }", "1:26: this cannot initialise an array"),
        (
            "struct s { int a; }; int main(void) { struct s x = 1; return 0; }",
            "1:52: cannot convert `32-bit integer` to `struct s`",
        ),
        ("struct s { int a; } x = {.a.b = 1}; int main(void) { return x.a; }", "1:28: no member `b`"),
        (
            "int main(int argc, char **argv) { static int x = argc; return x; }",
            "1:50: the initialiser of a static object must be constant",
        ),
        (
            "int f(void); int x = f(); int main(void) { return x; }",
            "1:22: the initialiser of a static object must be constant",
        ),
        (
            "int y; int x = y++; int main(void) { return x; }",
            "1:16: the initialiser of a static object must be constant",
        ),
        (
            "int main(int argc, char **argv) { static int *x = &argc; return *x; }",
            "1:52: the initialiser of a static object must be constant",
        ),
    ]);
}

#[test]
fn statements() {
    refused(&[
        ("int main(void) { goto out; return 0; }", "1:18: label `out` is not defined"),
        ("int main(void) { out: ; out: return 0; }", "1:25: label `out` is defined twice"),
        ("int main(void) { break; return 0; }", "1:18: `break` stands outside of what it could leave"),
        ("int main(void) { continue; return 0; }", "1:18: `continue` stands outside of what it could leave"),
        (
            "int main(void) { switch (1) { continue; } return 0; }",
            "1:31: `continue` stands outside of what it could leave",
        ),
        ("int main(void) { case 1: return 0; }", "1:23: `case` outside of a switch"),
        ("int main(void) { default: return 0; }", "1:18: `default` outside of a switch"),
        (
            "int main(void) {\n    switch (1) {\n    case 1:\n    case 1: return 0;\n    }\n    return 1;\n}",
            "4:5: this case stands twice in the switch",
        ),
        (
            "int main(void) { switch (1) { case 1 ... 5: case 3: return 0; } return 1; }",
            "1:45: this case stands twice in the switch",
        ),
        (
            "int main(void) { switch (1u) { case -1: case 0xffffffff: return 0; } return 1; }",
            "1:41: this case stands twice in the switch",
        ),
        (
            "int main(void) { switch (1) { default: default: return 0; } return 1; }",
            "1:40: a second `default`",
        ),
        (
            "int main(void) { int n = 1; switch (1) { case n: return 0; } return 1; }",
            "1:47: this must be an integer constant",
        ),
        (
            "int main(void) { switch (1.0) { case 1: return 0; } return 1; }",
            "1:18: a switch needs an integer",
        ),
        (r#"_Static_assert(1 == 2, "no"); int main(void) { return 0; }"#, "1:1: static assertion failed"),
        (
            r#"int main(void) { _Static_assert(sizeof(int) == 2, "no"); return 0; }"#,
            "1:18: static assertion failed",
        ),
    ]);
}

#[test]
fn syntax() {
    refused(&[
        ("int main(void) { return 0 }", "1:27: syntax error at `}`"),
        ("int main(void) { if (1 return 0; }", "1:34: expected `)`, found `}`"),
        ("int main(void) { int 3x; return 0; }", "1:22: syntax error at `3x`"),
        ("int main(void) { return 08; }", "1:25: an octal constant has no digit 8 or 9"),
        ("int main(void) { return ''; }", "1:26: syntax error at `'`"),
        ("int main(void) { return 1.5.5; }", "1:29: syntax error at `5`"),
        (
            "int main(void) { return 99999999999999999999999999999999999999999; }",
            "1:25: this integer constant fits no type",
        ),
        ("int main(void) { else return 0; }", "1:23: syntax error at `return`"),
        ("typedef int t = 5; int main(void) { return 0; }", "1:15: syntax error at `=`"),
        ("int f(int a, b) { return a; } int main(void) { return f(1, 2); }", "1:14: syntax error at `b`"),
        ("unknown_t x; int main(void) { return 0; }", "1:1: syntax error at `unknown_t`"),
        ("int main(void) {\n    unknown_t x;\n    return 0;\n}", "2:15: syntax error at `x`"),
        ("int f(unknown_t x); int main(void) { return 0; }", "1:17: syntax error at `x`"),
        ("", "no function `main` is defined in this file"),
        ("int f(void);", "no function `main` is defined in this file"),
        ("int main(void) { /* }", "1:18: unterminated comment"),
        (r#"int main(void) { char *s = "abc; }"#, "1:28: unterminated string literal"),
    ]);
}

/// Library functions with any number of arguments of any kind: a program or a message with a place, never a panic.
#[test]
fn library_functions_with_other_arguments() {
    let names = "__VERIFIER_nondet_int __VERIFIER_assume abort exit assert __assert_fail reach_error malloc calloc realloc alloca \
        free memalign memset memcpy mempcpy memcmp strlen strncpy strcmp strdup abs atoi isalpha rand printf fprintf sprintf \
        snprintf vprintf vfprintf vsprintf vsnprintf puts putchar fputc scanf sscanf __builtin_clz __builtin_add_overflow \
        __builtin_sadd_overflow __builtin_expect __builtin_constant_p __builtin_choose_expr __builtin_object_size \
        __builtin_va_start __builtin_va_end __builtin_va_copy __builtin_unreachable __builtin_trap __builtin_memcpy \
        __builtin_inf __builtin_frame_address setjmp fork pthread_create __sync_fetch_and_add __atomic_load_n";
    for name in names.split_whitespace() {
        for argument in ["1", "&x", "v", "2.5"] {
            for count in 0..=5 {
                let arguments = vec![argument; count].join(", ");
                let text = format!(
                    "struct s {{ int a; }} v; int x; int main(void) {{ {name}({arguments}); return 0; }}"
                );
                if let Err(rejected) = load_with(&text, &reading(DataModel::Lp64)) {
                    assert!(messages(&rejected).iter().all(|m| m.starts_with("1:")), "{text}");
                }
            }
        }
    }
}
