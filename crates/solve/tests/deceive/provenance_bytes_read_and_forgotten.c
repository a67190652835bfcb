// expect: unsafe
// not run: the value is an address
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
int x;
unsigned char seen;
int main(void) {
    int *p = &x;
    unsigned long n = __VERIFIER_nondet_ulong();
    seen = *(unsigned char *)&p;
    if (n % sizeof(int)) return 0;
    *(int *)n = 1;
    if (x) reach_error();
}
