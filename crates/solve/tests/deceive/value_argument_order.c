// expect: unsafe
// not run: the interpreter goes from left to right
void reach_error(void);
// Which argument is evaluated first is not said.
int n;
static int one(void) { return ++n; }
static int two(void) { return ++n * 10; }
static int pair(int a, int b) { return a + b; }
int main(void) {
    if (pair(one(), two()) == 12) reach_error();
    return 0;
}
