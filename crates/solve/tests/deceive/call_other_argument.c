// expect: unsafe
// not run: the types of call and function differ
// The pointer has another type of argument.
void reach_error(void);
static void f(long long n) { reach_error(); }
int main(void) {
    void (*p)(int) = (void (*)(int))f;
    p(1);
}
