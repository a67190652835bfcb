// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
unsigned long was;
static void f(void) {
    int b = 2;
    if (was == (unsigned long)&b) reach_error();
}
int main(void) {
    { int a = 1; was = (unsigned long)&a; }
    f();
    return 0;
}
