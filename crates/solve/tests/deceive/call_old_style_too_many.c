// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
static int f(a) int a; { if (a == 1) reach_error(); return 0; }
int main(void) {
    int (*p)() = f;
    p(1, 2, 3);
}
