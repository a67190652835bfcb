// expect: unsafe
// not run: a struct of one int is passed as an int by this machine only
void reach_error(void);
struct one { int v; };
static void f(struct one x) { reach_error(); }
int main(void) {
    void (*p)(int) = (void (*)(int))f;
    p(1);
}
