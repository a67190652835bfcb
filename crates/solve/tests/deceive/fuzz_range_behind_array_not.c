// expect: safe!
// The twin: the range ends before the array does.
void reach_error(void);
void *memset(void *, int, unsigned long);
int __VERIFIER_nondet_int(void);
struct { int a[4]; int b; } s;
int main(void) {
    unsigned i = __VERIFIER_nondet_int() & 1;
    s.a[i] = 5;
    memset(&s.a[i], 1, 8);
    if (s.b) reach_error();
}
