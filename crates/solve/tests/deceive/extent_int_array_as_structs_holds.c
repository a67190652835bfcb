// expect: safe!
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
struct three { int a, b, c; };
int a[9];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i > 2) return 0;
    struct three *t = (struct three *)a;
    t[i].b = 5;
    if (a[3 * i + 1] != 5 || a[3 * i] != 0) reach_error();
    return 0;
}
