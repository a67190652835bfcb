//! The control-flow automata of small C programs, one construct each, as text. The snapshots hold the C text and its automaton;
//! after a wanted change, `INSTA_UPDATE=always cargo test -p craig-frontend --test cfa_text` writes them anew: read the difference.

mod support;

use craig_cfa::DataModel;
use craig_frontend::{Externs, Property, Reading};
use support::{load_with, messages};

fn check_with(name: &str, text: &str, reading: &Reading) {
    let text = text.trim();
    let program = match load_with(text, reading) {
        Ok(program) => program,
        Err(rejected) => panic!("{name}: {}", messages(&rejected).join("\n")),
    };
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, format!("{text}\n\n----\n\n{program}"));
    });
}

fn check(name: &str, text: &str) {
    check_with(name, text, &Reading::default());
}

#[test]
fn loops() {
    check(
        "while",
        "
int main(void) {
    int i = 0;
    while (i < 10) {
        if (i == 5) break;
        if (i == 3) continue;
        i++;
    }
    return i;
}",
    );
    check(
        "do_while",
        "
int main(void) {
    int i = 0;
    do {
        i += 2;
        if (i == 4) continue;
    } while (i < 10);
    return i;
}",
    );
    check(
        "for",
        "
int main(void) {
    int sum = 0;
    for (int i = 0, j = 9; i < j; i++, --j) sum += i * j;
    for (;;) break;
    return sum;
}",
    );
}

#[test]
fn switch() {
    check(
        "switch",
        "
int main(int argc, char **argv) {
    unsigned char c = argc;
    int x;
    switch (c) {
    case 1:
        x = 10;
    case 2:
        x++;
        break;
    case 'a' ... 'z':
        x = 20;
        break;
    default:
        return 1;
    case -1:
        x = 30;
    }
    return x;
}",
    );
}

#[test]
fn goto() {
    check(
        "goto",
        "
int main(void) {
    int n = 3;
again:
    if (--n > 0) goto again;
    goto inside;
    while (n) {
    inside:
        n++;
    }
    return 0;
}",
    );
}

#[test]
fn short_circuit() {
    check(
        "short_circuit",
        "
int f(void);
int main(int argc, char **argv) {
    int *p = argc ? &argc : 0;
    int pure = p && *p > 1 || argc == 7;
    int calls = p && f() || f();
    if (p && *p || !argc) return pure;
    return calls;
}",
    );
}

#[test]
fn conditional() {
    check(
        "conditional",
        "
int f(void);
int main(int argc, char **argv) {
    unsigned u = argc > 0 ? argc : 1u;
    long long wide = argc ? f() : 2LL;
    int elvis = f() ?: 5;
    argc ? f() : (u = 3);
    return 1 ? elvis : wide;
}",
    );
}

#[test]
fn calls() {
    check(
        "calls",
        "
static int half(int x) { return x / 2; }
static void nothing(char c) { return; }
static int forgets(int x) { if (x) return x; }
struct pair { int a, b; };
static struct pair make(short a) { struct pair p = {a, 1}; return p; }
int main(void) {
    int x = half(half(10));
    nothing(300);
    x = make(x).a + forgets(x);
    return half(x);
}",
    );
}

#[test]
fn function_pointers() {
    check(
        "function_pointers",
        "
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static void other(void) {}
int unknown(int);
int main(int argc, char **argv) {
    int (*f)(int) = argc ? one : two;
    void (*g)(void) = other;
    int (*h)(int) = unknown;
    g();
    return f(3) + (*h)(4) + (&one)(5);
}",
    );
}

#[test]
fn externs() {
    let text = "
extern int counter;
static int hidden;
struct node { int key; };
int number(void);
struct node *find(struct node *start, int *out);
void stop(int code) __attribute__((noreturn));
int main(void) {
    struct node n;
    int x;
    struct node *p = find(&n, &x);
    hidden = number();
    if (!p) stop(counter);
    return p->key + x;
}";
    for (name, externs) in [
        ("externs_pure", Externs::Pure),
        ("externs_havoc", Externs::Havoc),
        ("externs_error", Externs::Error),
    ] {
        check_with(name, text, &Reading { externs, ..Reading::default() });
    }
}

#[test]
fn assembler() {
    check(
        "asm",
        r#"
int main(void) {
    int in = 1, out, both = 2;
    asm volatile("" ::: "memory");
    __asm__("mov %1, %0; inc %2" : "=r"(out), "+r"(both) : "r"(in));
    asm("nop");
    return out + both;
}"#,
    );
}

#[test]
fn unsupported() {
    check(
        "unsupported",
        "
int setjmp(int *);
int main(int argc, char **argv) {
    int buffer[10];
    void *target = &&out;
    if (argc == 1) return setjmp(buffer);
    if (argc == 2) goto *target;
    if (argc == 3) return __sync_fetch_and_add(&argc, 1);
out:
    return 0;
}",
    );
}

const ERRORS: &str = "
extern void abort(void);
extern void exit(int);
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
void assert(int);
int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 0);
    assert(x != 4);
    if (x == 1) abort();
    if (x == 2) exit(x);
    if (x == 3) reach_error();
    if (x + 1 == 5) goto ERROR;
    return 0;
ERROR:
    return 1;
}";

#[test]
fn properties() {
    for (name, property) in [
        ("property_default", Property::Default),
        ("property_label", Property::Label("ERROR".into())),
        ("property_call", Property::Call("abort".into())),
        ("property_no_overflow", Property::NoOverflow),
    ] {
        check_with(name, ERRORS, &Reading { property, ..Reading::default() });
    }
    check(
        "property_default_label",
        "
int main(int argc, char **argv) {
    if (argc > 5) goto ERROR;
    return 0;
ERROR:;
}",
    );
}

#[test]
fn initialisers() {
    check(
        "initialisers",
        r#"
struct point { int x, y; };
struct shape { char name[4]; struct point at[2]; union { long l; char c; } u; unsigned kind : 3, : 0, flag : 1; };
struct shape square = {"sq", {{1, 2}, {3}}, {7}, 5, 1};
struct shape later = {.u.c = 'x', .at[1].y = 4, .name = {'a', 'b'}};
int sparse[6] = {1, [4] = 5, 6}, open[] = {1, 2, 3}, flat[2][2] = {1, 2, 3};
int *inside = &sparse[4], zero;
int main(int argc, char **argv) {
    struct point p = {argc}, q = p, *r = &(struct point){5, 6};
    int list[3] = {argc, argc + 1};
    return square.kind + later.u.c + open[0] + flat[1][0] + *inside + zero + q.x + r->y + list[2];
}"#,
    );
}

#[test]
fn variable_length_array() {
    check(
        "vla",
        "
int main(int argc, char **argv) {
    if (argc < 1) return 0;
    int a[argc + 1];
    a[argc] = sizeof a;
    return a[argc] + sizeof a[0];
}",
    );
}

#[test]
fn variable_arguments() {
    check(
        "varargs",
        "
static int sum(int n, ...) {
    __builtin_va_list list, copy;
    int total = 0;
    __builtin_va_start(list, n);
    __builtin_va_copy(copy, list);
    while (n--) total += __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return total;
}
int main(void) {
    char c = 1;
    float f = 2;
    return sum(2, c, 3LL, f);
}",
    );
}

#[test]
fn static_locals() {
    check(
        "static_local",
        "
static int next(void) {
    static int count = 5;
    static int never;
    return count++ + never;
}
int main(void) {
    static int count = 1;
    { int count = 2; count++; }
    return next() + count;
}",
    );
}

#[test]
fn strings() {
    check(
        "strings",
        r#"
const char *same = "one";
int main(void) {
    char mine[] = "one" "\x41\n", cut[2] = "ab";
    const char *text = "one", *f = __func__;
    return mine[3] == L'A' && text[0] == "two"[1] && f[0] == cut[0] && L"w"[0] == 'w' && same[0];
}"#,
    );
}

#[test]
fn library() {
    check(
        "library",
        r#"
typedef unsigned size_t;
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t);
int printf(const char *, ...); size_t strlen(const char *); int scanf(const char *, ...);
int main(void) {
    char *p = malloc(10), *q = calloc(2, 5);
    int n;
    memset(p, 0, 10);
    p = memcpy(q, p, 10);
    q = realloc(q, 20);
    free(q);
    scanf("%d", &n);
    return printf("%d\n", n) + strlen("abc") + __builtin_expect(n, 0);
}"#,
    );
    check_with(
        "malloc_may_fail",
        "
void *malloc(unsigned);
int main(void) {
    int *p = malloc(4);
    if (!p) return 1;
    *p = 2;
    return 0;
}",
        &Reading { malloc_may_fail: true, ..Reading::default() },
    );
}

#[test]
fn conversions() {
    let text = "
struct bits { unsigned low : 3; int flag : 1; _Bool yes : 1; unsigned long long wide : 40; };
int main(int argc, char **argv) {
    struct bits b;
    long l = argc;
    unsigned long ul = l;
    _Bool truth = argc & 2;
    char c = argc + 1;
    b.low = c << 2;
    b.yes = argc;
    b.flag = 1;
    b.wide += 1;
    c += 1u;
    argv++;
    return l < 3u == ul > -1 && (argv - 1)[0] && b.wide + truth && &argv[2] - argv;
}";
    check_with("conversions_ilp32", text, &Reading { model: DataModel::Ilp32, ..Reading::default() });
    check_with("conversions_lp64", text, &Reading { model: DataModel::Lp64, ..Reading::default() });
}

#[test]
fn order_of_evaluation() {
    check(
        "order",
        "
int x, a[3];
int f(int);
int main(void) {
    int i = 0, j = i++ + ++i;
    a[i++] = x = f(i);
    a[0] += f(1) * (x -= 2);
    (i++, f(i)) && (x = 4);
    return ({ int t = x; t++; t; }) + j--;
}",
    );
}

#[test]
fn uninitialised() {
    check(
        "uninitialised",
        "
struct s { int a; char b; };
int main(void) {
    int x, y[4];
    struct s s;
    for (int i = 0; i < 2; i++) { int inner; x = inner; }
    return x + y[1] + s.b;
}",
    );
}

#[test]
fn old_style() {
    check(
        "old_style",
        "
add(a, b) char b; { return a + b; }
static count;
main() {
    count = add(1, 2);
    return unknown(count, 'x');
}",
    );
}
