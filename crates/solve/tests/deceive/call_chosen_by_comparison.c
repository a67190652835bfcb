// expect: unsafe
// not run: the types of call and function differ
// values: 1
void reach_error(void);
int __VERIFIER_nondet_int(void);
static int f(int n) { return n; }
static long g(long n) { reach_error(); return n; }
int main(void) {
    int (*p)(int) = __VERIFIER_nondet_int() ? (int (*)(int))g : f;
    if (p != f) p(0);
}
