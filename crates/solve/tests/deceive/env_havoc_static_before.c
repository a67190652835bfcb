// expect: safe
// externs: havoc
// assuming: extern
// Nobody outside knows the variable yet.
void reach_error(void);
void take(int *it);
void other(void);
static int x;
int main(void) {
    other();
    if (x) reach_error();
    take(&x);
    return 0;
}
