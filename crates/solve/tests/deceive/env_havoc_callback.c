// expect: unsafe!
// externs: havoc
// not run: the interpreter changes nothing
// It calls what it is given.
void reach_error(void);
void each(void (*f)(int));
static int sum;
static void add(int n) { if (n > 0 && n < 5) sum += n; }
int main(void) {
    each(add);
    if (sum == 7) reach_error();
    return 0;
}
