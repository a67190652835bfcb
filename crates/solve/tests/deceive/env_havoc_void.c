// expect: unsafe!
// externs: havoc
// not run: the interpreter changes nothing
// What a `void *` leads to is changed as well.
void reach_error(void);
void fill(void *to);
int main(void) {
    int x = 3;
    fill(&x);
    if (x == 4) reach_error();
    return 0;
}
