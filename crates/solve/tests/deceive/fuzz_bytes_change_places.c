// expect: unsafe
// values: 1
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct r { signed char f0[4]; int f1 : 21; };
int main(void) {
    struct r to = { 0 }, from = { 0 };
    from.f1 = __VERIFIER_nondet_int() & 1 ? 1 : 0;
    signed char *p = (signed char *)&to, *q = (signed char *)from.f0;
    for (unsigned k = 0; k < sizeof to; k++) p[k] ^= q[k], q[k] ^= p[k], p[k] ^= q[k];
    if (to.f1 == 1) reach_error();
}
