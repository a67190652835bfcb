// expect: safe!
int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || a > 9) return 0;
    int q = a / b, s = 1 << a;
    if (b == 0 || q > 9 || s == 0) reach_error();
    return 0;
}
