// expect: safe
int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
    int n = 2, m = 3;
    int a[n][m];
    a[0][2] = 1;
    a[1][0] = 2;
    m = 5;
    if (a[0][2] != 1 || a[1][0] != 2 || sizeof a != 6 * sizeof(int) || sizeof a[1] != 3 * sizeof(int)) reach_error();
    return 0;
}
