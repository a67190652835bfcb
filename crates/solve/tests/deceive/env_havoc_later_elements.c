// expect: unsafe!
// externs: havoc
// not run: the interpreter changes nothing
void reach_error(void);
void fill(int *to);
int main(void) {
    int a[3] = {1, 2, 3};
    fill(a);
    if (a[0] == 1 && a[2] == 7) reach_error();
    return 0;
}
