// expect: unsafe
// not run: the types of call and function differ
// A pointer to a pointer to a function of another type.
void reach_error(void);
static void f(char c) { reach_error(); }
void (*slot)(char) = f;
int main(void) {
    void (**p)(int) = (void (**)(int))&slot;
    (*p)(1);
}
