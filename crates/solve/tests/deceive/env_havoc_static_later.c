// expect: unsafe!
// externs: havoc
// not run: the interpreter changes nothing
// What was given once can be changed later.
void reach_error(void);
void take(int *it);
void other(void);
static int x;
int main(void) {
    take(&x);
    x = 0;
    other();
    if (x) reach_error();
    return 0;
}
