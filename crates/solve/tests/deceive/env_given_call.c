// expect: unsafe
// not run: what the environment gives is not there
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct s { int *a; };
struct s get(void);
int one = 1;
int *keep = &one;
int *back(void) { return keep; }
void set(int **to, int *v) { *to = v; }
int main(void) {
    struct s g = get();
    if (__VERIFIER_nondet_int()) set(&keep, g.a);
    int *(*f)(void) = back;
    int *p = f();
    if (p && *p != 1) reach_error();
    return 0;
}
