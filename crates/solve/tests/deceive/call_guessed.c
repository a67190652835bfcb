// expect: unsafe
// not run: the interpreter would have to guess an address
// A number that is compared with the address of a function.
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
static void f(int n) { reach_error(); }
int main(void) {
    unsigned long a = __VERIFIER_nondet_ulong();
    if (a == (unsigned long)f) ((void (*)(void))a)();
}
