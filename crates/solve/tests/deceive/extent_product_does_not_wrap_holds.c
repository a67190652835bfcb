// expect: safe!
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
int a[12];
int main(void) {
    int *p = a;
    unsigned k = __VERIFIER_nondet_uint();
    if (k > 3) return 0;
    p[k * 3] = 1;
    if (a[2] == 1) reach_error();
}
