// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint() % 8 + 1;
    char *last = 0;
    for (int i = 0; i < 2; i++) {
        char a[n];
        a[0] = 1;
        if (last == a) reach_error();
        last = a;
    }
    return 0;
}
