// expect: safe!
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
int __VERIFIER_nondet_int(void);
struct three { int a, b, c; } x, y, z;
int main(void) {
    struct three from = { 1, 2, 3 };
    struct three *p = &x;
    int which = __VERIFIER_nondet_int();
    if (which == 1) p = &y;
    if (which == 2) p = &z;
    x.a = y.b = z.c = 40;
    memcpy(p, &from, sizeof from);
    if (x.a + y.b + z.c > 83 || (p == &z) != (z.c == 3)) reach_error();
    return 0;
}
