// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
static void f(int a) { if (a == 1) reach_error(); }
int main(void) {
    void (*p)(int, int) = (void (*)(int, int))f;
    p(1, 2);
}
