// expect: unsafe
// values: 1
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct r { unsigned char f0[2]; int f1; };
int main(void) {
    struct r to = { 0 }, from = { 0 };
    from.f1 = __VERIFIER_nondet_int() & 1 ? 1 : 0;
    char *p = (char *)to.f0, *q = (char *)&from;
    for (unsigned k = sizeof to; k-- > 0;) p[k] = q[k];
    if (to.f1 == 1) reach_error();
}
