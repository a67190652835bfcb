// expect: unsafe
// data: 64
// values: -4
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
struct s { int a, b, c; };
int main(void) {
    unsigned long n = __VERIFIER_nondet_ulong();
    if (n < 100) return 0;
    if ((unsigned long)&((struct s *)n)->b == 0) reach_error();
    return 0;
}
