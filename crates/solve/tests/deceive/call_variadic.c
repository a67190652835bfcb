// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
static int f(int n, ...) { reach_error(); return n; }
int main(void) {
    int (*p)(int) = (int (*)(int))f;
    p(1);
}
