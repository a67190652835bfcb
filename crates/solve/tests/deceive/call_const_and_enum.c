// expect: unsafe
// not run: the types of call and function differ
// An enumeration where the pointer has an int.
void reach_error(void);
enum e { ZERO, ONE };
static void f(enum e e) { if (e == ONE) reach_error(); }
int main(void) {
    void (*p)(int) = (void (*)(int))f;
    p(1);
}
