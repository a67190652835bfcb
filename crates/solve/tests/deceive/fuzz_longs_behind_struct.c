// expect: unsafe
// values: 1
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct inner { signed char f[2]; };
struct r { struct inner f0; long long f1[4]; };
int main(void) {
    struct r to = { 0 }, from = { 0 };
    from.f1[2] = __VERIFIER_nondet_int() & 1 ? -797328747504989756LL : 0;
    unsigned char *p = (unsigned char *)&to, *q = (unsigned char *)&from;
    for (unsigned k = 0; k < sizeof to; k++) p[k] = q[k];
    if (to.f1[2] == -797328747504989756LL) reach_error();
}
