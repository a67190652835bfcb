// expect: unsafe
// not run: the value is an address
// The address is exposed, so a number may be it.
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
int x;
unsigned long exposed;
int main(void) {
    exposed = (unsigned long)&x;
    unsigned long n = __VERIFIER_nondet_ulong();
    if (n % sizeof(int)) return 0;
    *(int *)n = 1;
    if (x) reach_error();
}
