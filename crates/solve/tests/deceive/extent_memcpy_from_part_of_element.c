// expect: unsafe
// values: 3
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
unsigned a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, b[2];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i > 6) return 0;
    memcpy(b, &a[i], 5);
    if (b[1] == 5) reach_error();
    return 0;
}
