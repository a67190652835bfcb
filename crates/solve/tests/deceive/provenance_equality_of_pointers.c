// expect: unsafe
// not run: the value is an address
void reach_error(void);
void *__VERIFIER_nondet_pointer(void);
int x;
int main(void) {
    unsigned long seen = (unsigned long)&x;
    int *p = __VERIFIER_nondet_pointer();
    if (seen && p == &x) {
        *p = 1;
        if (x == 1) reach_error();
    }
}
