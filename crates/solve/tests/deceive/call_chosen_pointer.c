// expect: unsafe
// not run: the interpreter would have to guess an address
// A pointer that is chosen equals the address of a function.
void reach_error(void);
void *__VERIFIER_nondet_pointer(void);
static void f(void) { reach_error(); }
int main(void) {
    void *p = __VERIFIER_nondet_pointer();
    if (p == (void *)f) ((void (*)(void))p)();
}
