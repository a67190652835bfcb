// expect: safe
void reach_error(void);
void *memset(void *, int, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
unsigned a[4];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint() % 3;
    memset(&a[i], 255, 6);
    if (a[i] != 0xffffffff || a[i + 1] != 0xffff) reach_error();
    return 0;
}
