// expect: unsafe
// values: 4
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct { int a[4]; int guard; int i; } s;
int main(void) {
    s.i = 0;
    int n = __VERIFIER_nondet_int();
    if (n > 4) return 0;
    while (s.i <= n) s.a[s.i++] = 7;
    if (s.guard == 7) reach_error();
    return 0;
}
