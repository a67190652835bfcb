// expect: unsafe
// not run: what the environment gives may be larger than there
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
char *get(void);
int main(void) {
    char *p = get();
    unsigned i = __VERIFIER_nondet_uint();
    if (p && i == 5000 && p[i] == 1) reach_error();
    return 0;
}
