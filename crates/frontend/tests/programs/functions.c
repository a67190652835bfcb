/* Calls, recursion, pointers to functions, variadic functions, static locals, old-style definitions. */
void reach_error(void) { __builtin_trap(); }
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
typedef __builtin_va_list va_list;

int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
int is_odd(int);
int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }

int counter(void) { static int calls = 40; return ++calls; }

int add(int a, int b) { return a + b; }
int sub(int a, int b) { return a - b; }
int apply(int (*f)(int, int), int a, int b) { return f(a, b); }
typedef int binary(int, int);
binary *pick(int which) { return which ? add : &sub; }
struct operations { int (*op)(int, int); const char *name; };
struct operations operations[] = { { add, "add" }, { sub, "sub" } };

int old(a, b, c)
    int a;
    char b;
{
    return a + b + c;
}

int sum(int n, ...) {
    va_list ap;
    __builtin_va_start(ap, n);
    int s = 0;
    for (int i = 0; i < n; i++) s += __builtin_va_arg(ap, int);
    __builtin_va_end(ap);
    return s;
}

long long pass_on(int n, va_list ap) {
    long long s = 0;
    while (n--) s += __builtin_va_arg(ap, long long);
    return s;
}

long long mixed(int n, ...) {
    va_list ap, copy;
    __builtin_va_start(ap, n);
    __builtin_va_copy(copy, ap);
    long long twice = pass_on(n, ap);
    twice += pass_on(n, copy);
    __builtin_va_end(ap);
    __builtin_va_end(copy);
    return twice;
}

void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
void fill(int a[], int n, int v) { while (n > 0) a[--n] = v; }
int *largest(int *a, int n) { int *m = a; for (int *p = a; p < a + n; p++) if (*p > *m) m = p; return m; }
int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static inline int twice(int x) { return 2 * x; }
int depth(int n) { int here = n; int *p = &here; if (n > 0) depth(n - 1); return *p; }

int main(void) {
    CHECK(factorial(10) == 3628800 && is_even(10) && !is_even(7));
    CHECK(counter() == 41 && counter() == 42 && counter() == 43);
    CHECK(apply(add, 3, 4) == 7 && apply(sub, 3, 4) == -1 && pick(0)(9, 4) == 5 && (*pick(1))(9, 4) == 13);
    CHECK(operations[1].op(5, 3) == 2 && operations[0].name[0] == 'a' && operations[1].op != operations[0].op);
    int (*table[])(int, int) = { sub, add };
    CHECK(table[1](1, 2) == 3 && (table[0] == sub) && (1 ? add : sub)(2, 2) == 4);
    CHECK(old(1, 257 + 1, 3) == 6);
    CHECK(sum(0) == 0 && sum(3, 1, 2, 3) == 6 && sum(1, (char)5) == 5);
    CHECK(mixed(2, 1LL << 40, 2LL) == (1LL << 41) + 4);
    int a = 1, b = 2;
    swap(&a, &b);
    CHECK(a == 2 && b == 1);
    int v[5];
    fill(v, 5, 3);
    v[3] = 8;
    CHECK(v[0] == 3 && *largest(v, 5) == 8 && largest(v, 5) == v + 3);
    CHECK(ackermann(2, 3) == 9 && twice(a) == 4 && depth(5) == 5);
    typeof(a) t = 7;
    __typeof__(&a) pt = &t;
    CHECK(*pt == 7 && _Generic(t, char: 1, int: 2, default: 3) == 2);
    enum colour { RED, GREEN = 5, BLUE } colour = BLUE;
    CHECK(colour == 6 && RED == 0 && sizeof(enum colour) == 4);
    CHECK(__builtin_expect(a == 2, 1) && __builtin_constant_p(3) && __func__[0] == 'm');
    asm volatile("" ::: "memory");
    return 0;
}
