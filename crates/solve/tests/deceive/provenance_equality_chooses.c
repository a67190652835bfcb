// expect: unsafe
// not run: the value is an address
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
int x;
int main(void) {
    unsigned long n = __VERIFIER_nondet_ulong();
    if (n == (unsigned long)&x) *(int *)n = 1;
    if (x) reach_error();
}
