// expect: unsafe
// not run: what the environment gives is not there
void reach_error(void);
int __VERIFIER_nondet_int(void);
extern struct { int *a; int n; } cfg;
int one = 1;
int main(int argc, char **argv) {
    int *p = __VERIFIER_nondet_int() ? cfg.a : &one;
    int *q = (int *)((char *)p + 0);
    if (q && *q != 1) reach_error();
    return 0;
}
