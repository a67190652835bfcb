// expect: unsafe!
// values: 3
// The rows have rows; the outer length is constant.
int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n != 3) return 0;
    char a[2][n][4];
    int i = 1;
    a[1][2][3] = 'x';
    char *row = a[i][2];
    if (row[3] == 'x' && &a[1][2][3] - &a[0][0][0] == 23 && sizeof a[0] == 12) reach_error();
    return 0;
}
