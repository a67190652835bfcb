// expect: unsafe!
// values: 3
// The same for the bytes that are copied.
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
int __VERIFIER_nondet_int(void);
struct { int b; int a[4]; int c; } s;
int t[2];
int main(void) {
    unsigned i = __VERIFIER_nondet_int() & 3;
    s.a[i] = 5;
    s.c = 1;
    memcpy(t, &s.a[i], 8);
    if (t[1] == 1) reach_error();
}
