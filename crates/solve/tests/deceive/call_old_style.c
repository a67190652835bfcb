// expect: unsafe
void reach_error(void);
static int f(a, b) int a, b; { if (a + b == 3) reach_error(); return 0; }
int main(void) {
    int (*p)() = f;
    p(1, 2);
}
