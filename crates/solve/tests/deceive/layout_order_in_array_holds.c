// expect: safe!
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
int a[4];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint() % 4, k = __VERIFIER_nondet_uint() % 4;
    if ((&a[i] < &a[k]) != (i < k)) reach_error();
}
