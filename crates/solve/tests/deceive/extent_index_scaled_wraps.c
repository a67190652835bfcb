// expect: unsafe
// data: 64
// values: 4611686018427387905
// not run: the index is outside of the array
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
int a[4];
int main(void) {
    unsigned long n = __VERIFIER_nondet_ulong();
    if (n < 4) return 0;
    *(int *)((unsigned long)a + 4 * n) = 7;
    if (a[1] == 7) reach_error();
}
