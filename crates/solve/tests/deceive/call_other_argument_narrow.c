// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
static void f(signed char c) { if (c == 1) reach_error(); }
int main(void) {
    void (*p)(int) = (void (*)(int))f;
    p(1);
}
