// expect: safe
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
int x, y;
int main(void) {
    unsigned long n = __VERIFIER_nondet_ulong();
    if (n == (unsigned long)&x) {
        *(int *)n = 1;
        if (x != 1 || y) reach_error();
    }
}
