// expect: safe!
// data: 64
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
struct s { int a, b, c; };
int main(void) {
    unsigned long n = __VERIFIER_nondet_ulong();
    if ((unsigned long)&((struct s *)n)->b != n + 4) reach_error();
    if ((unsigned long)((char *)n + 7) != n + 7) reach_error();
    return 0;
}
