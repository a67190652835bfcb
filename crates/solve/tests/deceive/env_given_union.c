// expect: unsafe
// not run: what the environment gives is not there
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct s { int *a; };
struct s get(void);
union u { int *p; unsigned long l; };
int main(void) {
    int one = 1;
    union u u; u.p = &one;
    struct s g = get();
    if (__VERIFIER_nondet_int()) { union u v; v.p = g.a; u.l = v.l; }
    if (u.p && *u.p != 1) reach_error();
    return 0;
}
