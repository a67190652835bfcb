// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
static void f(int a, int b, int c) { if (a == 1 && b == 2) reach_error(); }
static void run(void (*p)(int, int)) { p(1, 2); }
int main(void) {
    run((void (*)(int, int))f);
}
