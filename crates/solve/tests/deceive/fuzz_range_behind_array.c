// expect: unsafe!
// values: 3
// Eight bytes from any element on were taken to end with the array.
void reach_error(void);
void *memset(void *, int, unsigned long);
int __VERIFIER_nondet_int(void);
struct { int a[4]; int b; } s;
int main(void) {
    unsigned i = __VERIFIER_nondet_int() & 3;
    s.a[i] = 5;
    memset(&s.a[i], 1, 8);
    if (s.b) reach_error();
}
