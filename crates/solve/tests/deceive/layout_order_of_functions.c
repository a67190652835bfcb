// expect: unsafe
// not run: the order of functions is open
void reach_error(void);
static void f(void) {}
static void g(void) {}
int main(void) {
    if ((unsigned long)g < (unsigned long)f) reach_error();
}
