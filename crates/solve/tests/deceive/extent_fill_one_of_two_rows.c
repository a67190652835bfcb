// expect: unsafe
// values: 1, 4000
void reach_error(void);
void *memset(void *, int, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
struct { short a[3]; short b[3]; int c; } s, t;
int main(void) {
    unsigned i = __VERIFIER_nondet_uint(), key = __VERIFIER_nondet_uint();
    short *p = i & 1 ? s.b : t.a;
    s.c = key;
    t.b[0] = 9;
    memset(p, 1, 10);
    if (s.c != key && t.b[0] == 9 && key % 1009 == 973) reach_error();
    return 0;
}
