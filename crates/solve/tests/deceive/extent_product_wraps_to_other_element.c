// expect: unsafe
// data: 64
// values: 6148914691236517206
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
// A product that wraps around is no multiple of its factor: 3 * k is 2.
int a[12];
int main(void) {
    int *p = a;
    unsigned long k = __VERIFIER_nondet_ulong();
    if (k * 3 > 11) return 0;
    p[k * 3] = 1;
    if (a[2] == 1) reach_error();
}
