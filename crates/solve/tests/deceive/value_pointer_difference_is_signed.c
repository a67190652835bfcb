// expect: unsafe
// data: 64
// values: -5
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    unsigned long n = __VERIFIER_nondet_ulong();
    long d = (char *)n - (char *)8;
    if (n > 8 && d < 0) reach_error();
    return 0;
}
