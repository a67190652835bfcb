// expect: unsafe
// data: 64
// values: 4611686018427387906
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    unsigned long n = __VERIFIER_nondet_ulong();
    int *p = &((int *)16)[n];
    if (n > 100 && (unsigned long)p == 24) reach_error();
    return 0;
}
