// expect: unsafe
// not run: what the environment gives is not there
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct s { int *a; };
struct s get(void);
int main(void) {
    int one = 1;
    int *p = &one;
    struct s g = get();
    if (__VERIFIER_nondet_int()) for (unsigned i = 0; i < sizeof p; i++) ((char *)&p)[i] = ((char *)&g.a)[i];
    if (p && *p != 1) reach_error();
    return 0;
}
