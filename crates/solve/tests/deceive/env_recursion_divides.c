// expect: safe
void reach_error(void);
int __VERIFIER_nondet_int(void);
int sum(int n, int by) {
    if (n <= 0) return 0;
    return 12 / by + sum(n - 1, by);
}
int main(void) {
    int by = __VERIFIER_nondet_int();
    if (by < -2 || by > 2) return 0;
    sum(3, by);
    if (by == 0) reach_error();
    return 0;
}
