// expect: safe!
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
union u { unsigned n; unsigned char b[4]; };
union u a[3];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint() % 3, v = __VERIFIER_nondet_uint();
    a[i].n = v;
    if (a[i].b[0] + a[i].b[1] * 256u + a[i].b[2] * 65536u + a[i].b[3] * 16777216u != v) reach_error();
    return 0;
}
