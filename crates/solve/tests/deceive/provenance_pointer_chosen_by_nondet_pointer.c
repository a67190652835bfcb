// expect: unsafe
// not run: the value is an address
void reach_error(void);
void *__VERIFIER_nondet_pointer(void);
int x;
int main(void) {
    int *p = __VERIFIER_nondet_pointer();
    if (p == &x) *p = 1;
    if (x) reach_error();
    return 0;
}
