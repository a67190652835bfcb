// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
static int f(int n) { return n; }
static int g(int n) { reach_error(); return n; }
int main(void) {
    int (*p)(int) = __VERIFIER_nondet_int() ? g : f;
    if (p == f) p(0);
}
