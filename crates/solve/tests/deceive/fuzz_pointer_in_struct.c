// expect: unsafe
// values: 1
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct r { signed char f0[2]; unsigned f1 : 17; };
static void copy(void *to, const void *from, unsigned long n) {
    char *t = to;
    const char *f = from;
    while (n--) *t++ = *f++;
}
int main(void) {
    struct r to = { 0 }, from = { 0 };
    struct { int pad; void (*f)(void *, const void *, unsigned long); } s = { 1, copy };
    from.f1 = __VERIFIER_nondet_int() & 1 ? 1 : 0;
    s.f(&to, &from, sizeof to);
    if (to.f1 == 1) reach_error();
}
