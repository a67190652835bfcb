// expect: safe
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct r { unsigned char f0[4]; long f1; };
int main(void) {
    struct r to = { 0 }, from = { 0 };
    from.f1 = __VERIFIER_nondet_int() & 1 ? 1 : 0;
    char *p = (char *)&to, *q = (char *)from.f0;
    for (unsigned k = 0; k < sizeof to; k++) *p++ = *q++;
    if (to.f1 != from.f1) reach_error();
}
