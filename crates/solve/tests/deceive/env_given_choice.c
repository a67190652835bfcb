// expect: unsafe
// not run: what the environment gives is not there
void reach_error(void);
int __VERIFIER_nondet_int(void);
void *__VERIFIER_nondet_pointer(void);
int main(void) {
    int one = 1;
    int **p = __VERIFIER_nondet_pointer();
    if (!p) return 0;
    if (__VERIFIER_nondet_int()) *p = &one;
    int *q = *p;
    if (q && *q != 1) reach_error();
    return 0;
}
