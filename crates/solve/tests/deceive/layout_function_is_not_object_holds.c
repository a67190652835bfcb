// expect: safe!
void reach_error(void);
int x;
static void f(void) { }
static void g(void) { x = 1; }
int main(void) {
    if ((unsigned long)f == (unsigned long)&x || (unsigned long)f == (unsigned long)g) reach_error();
    return 0;
}
