// expect: unsafe
// not run: floats and ints are passed in different places
void reach_error(void);
static void f(double d) { reach_error(); }
int main(void) {
    void (*p)(int) = (void (*)(int))f;
    p(1);
}
