// expect: unsafe
// not run: the missing argument is whatever is left
void reach_error(void);
static void f(int a, int b) { if (a == 1 && b == 77) reach_error(); }
int main(void) {
    void (*p)(int) = (void (*)(int))f;
    p(1);
}
