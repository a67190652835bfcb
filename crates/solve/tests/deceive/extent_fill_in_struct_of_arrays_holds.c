// expect: safe!
void reach_error(void);
void *memset(void *, int, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
struct { int a[4]; int b; } s;
int main(void) {
    unsigned i = __VERIFIER_nondet_uint(), key = __VERIFIER_nondet_uint();
    s.b = key;
    memset(&s.a[i & 1], 1, 12);
    if (s.b != key) reach_error();
    return 0;
}
