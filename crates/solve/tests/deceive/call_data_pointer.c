// expect: unsafe
// A pointer to int was a pointer to a function.
void reach_error(void);
static void f(void) { reach_error(); }
int main(void) {
    int *p = (int *)f;
    ((void (*)(void))p)();
}
