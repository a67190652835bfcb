// expect: unsafe
// not run: what the environment gives is not there
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct s { int *a; };
struct s get(void);
int one = 1;
int main(void) {
    struct s t[3];
    t[0].a = t[1].a = t[2].a = &one;
    t[1] = get();
    struct s c = t[__VERIFIER_nondet_int() ? 0 : 1];
    struct s d = c;
    if (d.a && *d.a != 1) reach_error();
    return 0;
}
