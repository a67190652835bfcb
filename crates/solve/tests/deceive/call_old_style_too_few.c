// expect: unsafe
// not run: the missing argument is whatever is left
void reach_error(void);
static int f(a, b) int a, b; { if (a == 1 && b == 5) reach_error(); return 0; }
int main(void) {
    f(1);
}
