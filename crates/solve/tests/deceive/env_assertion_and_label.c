// expect: unsafe!
// values: 3
// A label does not take away what an assertion of another verifier means.
int __VERIFIER_nondet_int(void);
void __CPROVER_assert(_Bool holds, const char *what);
int main(void) {
    int x = __VERIFIER_nondet_int();
    __CPROVER_assert(x != 3, "x is not 3");
    return 0;
ERROR:
    return 1;
}
