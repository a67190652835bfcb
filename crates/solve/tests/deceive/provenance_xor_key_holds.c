// expect: safe
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
int x, y;
int main(void) {
    unsigned long key = __VERIFIER_nondet_ulong(), n = (unsigned long)&x ^ key;
    *(int *)(n ^ key) = 1;
    if (!x || y) reach_error();
}
