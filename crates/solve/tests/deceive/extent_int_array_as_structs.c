// expect: unsafe
// values: 1
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
struct three { int a, b, c; };
int a[9];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i > 2) return 0;
    struct three *t = (struct three *)a;
    t[i].b = 5;
    struct three v = { 7, 8, 9 };
    t[i + 0] = v;
    t[i].a += a[3 * i + 1];
    if (a[3] == 15 && a[5] == 9) reach_error();
    return 0;
}
