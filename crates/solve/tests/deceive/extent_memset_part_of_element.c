// expect: unsafe
// values: 2
void reach_error(void);
void *memset(void *, int, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
unsigned a[8];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i > 6) return 0;
    memset(&a[i], 255, 6);
    if (a[i + 1] == 0xffff) reach_error();
    return 0;
}
