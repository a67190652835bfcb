// expect: unsafe
void reach_error(void);
static void f(c) char c; { if (c == 'x') reach_error(); }
int main(void) {
    void (*p)() = f;
    char c = 'x';
    p(c);
}
