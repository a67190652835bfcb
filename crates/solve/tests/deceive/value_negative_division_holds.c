// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < -1000 || n > 1000) return 0;
    if (n / 4 * 4 + n % 4 != n || n % 4 > 3 || n % 4 < -3 || (n >> 2) * 4 + (n & 3) != n) reach_error();
    return 0;
}
