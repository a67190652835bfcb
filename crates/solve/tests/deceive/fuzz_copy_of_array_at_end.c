// expect: safe
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct r { unsigned char f0[2]; signed char f1[5]; };
int main(void) {
    struct r to = { 0 }, from = { 0 };
    from.f1[1] = __VERIFIER_nondet_int() & 1 ? 1 : 0;
    unsigned char *p = (unsigned char *)&to, *q = (unsigned char *)from.f0;
    for (unsigned k = 0; k < sizeof to; k++) p[k] = q[k];
    if (to.f1[1] != from.f1[1]) reach_error();
}
