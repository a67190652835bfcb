// expect: unsafe
// values: 1
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct inner { int f : 13; };
struct r { signed char f0[2]; struct inner f1; };
int main(void) {
    struct r to = { 0 }, from = { 0 };
    from.f1.f = __VERIFIER_nondet_int() & 1 ? 1 : 0;
    char *p = (char *)&to, *q = (char *)from.f0;
    for (unsigned k = sizeof to; k-- > 0;) p[k] = q[k];
    if (to.f1.f == 1) reach_error();
}
