// expect: unsafe!
// values: 3
// The array may be larger than what the interpreter has: a smaller one does.
unsigned __VERIFIER_nondet_uint(void);
void reach_error(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint() / 2 + 1;
    int a[n];
    a[n / 2] = 3;
    if (a[n / 2] == 3 && n > 1) reach_error();
    return 0;
}
