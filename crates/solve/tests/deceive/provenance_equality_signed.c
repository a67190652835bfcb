// expect: unsafe
// not run: the value is an address
void reach_error(void);
long __VERIFIER_nondet_long(void);
int x;
int main(void) {
    long n = __VERIFIER_nondet_long();
    if (n == (long)&x) {
        *(int *)n = 1;
        if (x == 1) reach_error();
    }
}
