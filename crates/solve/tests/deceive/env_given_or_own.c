// expect: unsafe!
// not run: the interpreter gives null
// The pointer leads to a variable of the program, or to something of the environment.
int __VERIFIER_nondet_int(void);
void reach_error(void);
int *other(void);
int x;
int main(void) {
    int *p = __VERIFIER_nondet_int() ? &x : other();
    if (!p) return 0;
    *p = 5;
    if (x == 0 && *p == 5) reach_error();
    return 0;
}
