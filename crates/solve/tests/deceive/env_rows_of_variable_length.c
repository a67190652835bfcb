// expect: unsafe!
// values: 2, 3
int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    if (n != 2 || m != 3) return 0;
    int a[n][m];
    a[1][2] = 7;
    if (a[1][2] == 7 && sizeof a[0] == 3 * sizeof(int)) reach_error();
    return 0;
}
