// expect: unsafe
// values: 3, 5093
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
struct { int a[4]; int b; } s;
int main(void) {
    int from[2] = { 7, 8 };
    unsigned i = __VERIFIER_nondet_uint(), key = __VERIFIER_nondet_uint();
    if (i > 3) return 0;
    s.b = key;
    memcpy(&s.a[i & 3], from, sizeof from);
    if (s.b == 8 && key % 1009 == 48) reach_error();
    return 0;
}
