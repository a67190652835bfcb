// expect: unsafe!
// values: 0
void reach_error(void);
int __VERIFIER_nondet_int(void);
int sum(int n, int by) {
    if (n <= 0) return 0;
    if (by == 0) reach_error();
    return 12 / by + sum(n - 1, by);
}
int main(void) {
    return sum(3, __VERIFIER_nondet_int());
}
