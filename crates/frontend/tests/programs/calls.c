/* Calls through pointers of other types, as far as the machine does what one expects; library functions through pointers. */
void reach_error(void) { __builtin_trap(); }
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
typedef unsigned long size_t;
void *malloc(size_t);
void free(void *);
void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t);
int strcmp(const char *, const char *);
size_t strlen(const char *);
void exit(int);

int count;
void step(void) { count++; }
int next(int x) { count++; return x + 1; }
unsigned half(unsigned x) { return x / 2; }
int first(int *p) { return *p; }
signed char low(signed char c) { return c; }
unsigned char byte(unsigned char c) { return c; }
int widened(int x) { return x; }
long word(long n) { return n; }
long long wide(long long n) { return n; }
int no_parameters() { return 7; }
double twice(double d) { return 2 * d; }
int pair(int a, int b) { return 10 * a + b; }
int sum(int n, ...) {
    __builtin_va_list ap;
    __builtin_va_start(ap, n);
    int s = 0;
    while (n-- > 0) s += __builtin_va_arg(ap, int);
    __builtin_va_end(ap);
    return s;
}
int old(a, b, f) int a; char b; float f; { return a + b + (int)f; }
struct point { int x, y; };
int across(struct point p, int more) { return p.x + p.y + more; }
int ignores(int used, int unused) { return used; }

typedef void procedure(void);
struct table { const char *name; procedure *run; };
struct table table[] = { { "step", step }, { "next", (procedure *)next } };
void (*static_cast_of_next)(int) = (void (*)(int))next;
long as_number = (long)&step;
union both { int (*takes)(int); unsigned (*other)(unsigned); void *any; } both = { next };

int undeclared_later();
int before_its_prototype(void) { char c = 5; return undeclared_later(c, 6); }
int undeclared_later(int a, int b) { return pair(a, b); }

void through_casts(void) {
    CHECK(((unsigned (*)(unsigned))next)(4) == 5);
    CHECK(((int (*)(int))half)(9) == 4);
    int seven = 7;
    CHECK(((int (*)(void *))first)(&seven) == 7);
    CHECK(((int (*)(size_t))first)((size_t)&seven) == 7);
    CHECK(((int (*)(int, int, int))next)(1, 2, 3) == 2);
    CHECK(((int (*)(int, double))next)(1, 2.5) == 2);
    CHECK(((double (*)(double, int))twice)(1.5, 3) == 3.0);
    CHECK(((int (*)(int, struct point))next)(1, (struct point){ 2, 3 }) == 2);
    CHECK(((int (*)(struct point, unsigned))across)((struct point){ 1, 2 }, 3u) == 6);
    CHECK(((int (*)(int))ignores)(5) == 5);
    count = 0;
    ((void (*)(int))next)(1);
    ((int (*)(void))step)();
    ((void (*)(int, int))step)(1, 2);
    CHECK(count == 3);
}

void widths(void) {
    int (*f)(int) = (int (*)(int))widened;
    CHECK(((signed char (*)(int))low)(257) == 1);
    CHECK(((signed char (*)(unsigned char))low)(255) == -1);
    CHECK(((unsigned char (*)(signed char))byte)(-1) == 255);
    CHECK(((int (*)(signed char))f)(-3) == -3);
    CHECK(((int (*)(unsigned char))f)(253) == 253);
    CHECK(((int (*)(_Bool))f)(7) == 1);
    CHECK(((short (*)(int))f)(65537) == 1);
    CHECK((size_t)((void *(*)(long))word)(12) == 12);
    CHECK(((unsigned long long (*)(unsigned long long))wide)(1ull << 40) == 1ull << 40);
    CHECK(((int (*)(long long))wide)((1ll << 40) + 9) == 9);
}

void without_prototype(void) {
    int (*f)() = next, (*g)() = pair, (*h)() = (int (*)())old;
    char c = 3;
    CHECK(f(1) == 2 && f(c) == 4 && f(4u) == 5);
    CHECK(g(1, 2) == 12 && g(1, 2, 3) == 12);
    CHECK(h(1, 2, 3.5f) == 6 && old(1, 258, 3.5) == 6);
    CHECK(no_parameters() == 7 && no_parameters(1, 2.5) == 7);
    CHECK(before_its_prototype() == 56);
    int (*s)() = (int (*)())sum;
    CHECK(s(3, 1, c, 5) == 9);
    CHECK(((int (*)(int, int, short))sum)(2, 4, 5) == 9);
}

void stored(void) {
    count = 0;
    for (int i = 0; i < 2; i++) table[i].run();
    static_cast_of_next(3);
    ((procedure *)as_number)();
    CHECK(count == 4);
    CHECK(both.other(8) == 9 && ((int (*)(unsigned))both.any)(9) == 10);
    void *any = (void *)pair;
    long number = (long)any;
    void *copy;
    memcpy(&copy, &number, sizeof copy);
    CHECK(((int (*)(unsigned, int))copy)(3, 4) == 34);
}

void library(void) {
    void *(*allocate)(size_t) = malloc;
    void (*release)(void *) = free;
    void *(*fill)(void *, int, size_t) = &memset;
    int (*compare)(const char *, const char *) = strcmp;
    size_t (*length)(const char *) = strlen;
    char *p = allocate(4);
    fill(p, 'a', 3);
    p[3] = 0;
    CHECK(compare(p, "aaa") == 0 && length(p) == 3 && (*strlen)(p) == 3);
    ((void *(*)(char *, char, size_t))fill)(p, 'b', 1);
    CHECK(((int (*)(void *, void *))compare)(p, "baa") == 0);
    release(p);
}

int main(void) {
    through_casts();
    widths();
    without_prototype();
    stored();
    library();
    void (*leave)(int) = exit;
    leave(0);
    reach_error();
}
