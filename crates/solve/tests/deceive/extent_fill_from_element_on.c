// expect: unsafe
// values: 1, 5093
void reach_error(void);
void *memset(void *, int, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
struct { int a[4]; int b; } s;
int main(void) {
    unsigned i = __VERIFIER_nondet_uint(), key = __VERIFIER_nondet_uint();
    if (i > 1) return 0;
    s.b = key;
    memset(&s.a[i & 1], 1, 16);
    if (s.b == 0x01010101 && key % 1009 == 48) reach_error();
    return 0;
}
