// expect: unsafe
// not run: the interpreter would have to guess an address
// A pointer that is chosen equals the address of a function of another type.
void reach_error(void);
void *__VERIFIER_nondet_pointer(void);
static void f(float n) { reach_error(); }
int main(void) {
    void *q = (void *)f, *p = __VERIFIER_nondet_pointer();
    if (p == q) ((void (*)(void))p)();
}
