// expect: unsafe!
// values: 3
// The same for a pointer among the bytes: who looked only at the first element did not know where it points afterwards.
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
int __VERIFIER_nondet_int(void);
int x, y;
struct { int *a[4]; int *b; } s = { { &x, &x, &x, &x }, &x };
int *from[2] = { &x, &y };
int main(void) {
    unsigned i = __VERIFIER_nondet_int() & 3;
    s.a[i] = &x;
    memcpy(&s.a[i], from, sizeof from);
    *s.b = 1;
    if (y) reach_error();
}
