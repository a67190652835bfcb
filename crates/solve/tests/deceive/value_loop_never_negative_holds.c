// expect: safe!
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int steps = 0;
    while (n > 0 && steps < 100) { n = n / 2; steps++; }
    if (steps > 32) reach_error();
    return 0;
}
