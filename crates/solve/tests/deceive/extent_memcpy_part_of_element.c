// expect: unsafe
// values: 3
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
unsigned a[8];
int main(void) {
    unsigned from[2] = { 0x11111111, 0x22222222 };
    unsigned i = __VERIFIER_nondet_uint();
    if (i > 6) return 0;
    memcpy(&a[i], from, 5);
    if (a[i + 1] == 0x22) reach_error();
    return 0;
}
