// expect: unsafe
// values: 2, 5093
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
struct { int a[4]; int b; } s;
int out[3];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint(), key = __VERIFIER_nondet_uint();
    if (i > 2) return 0;
    s.b = key;
    memcpy(out, &s.a[i & 3], 12);
    if (out[2] == key && key % 1009 == 48) reach_error();
    return 0;
}
