// expect: unsafe
// values: 4
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
int a[2][3];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i >= 6) return 0;
    a[0][i] = 1;
    if (a[1][1]) reach_error();
}
