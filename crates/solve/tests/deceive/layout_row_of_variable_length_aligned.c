// expect: unsafe
// values: 5
// not run: depends on where objects lie
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint() % 8 + 1;
    char a[n];
    a[0] = 1;
    if ((unsigned long)a % 16 == 5) reach_error();
    return 0;
}
