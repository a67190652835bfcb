// expect: unsafe
// data: 64
// values: 3, 0
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
int __VERIFIER_nondet_int(void);
int main(void) {
    unsigned long n = __VERIFIER_nondet_ulong();
    if (n > 7) return 0;
    char *p = (char *)n - 8;
    while (__VERIFIER_nondet_int()) n++;
    if ((unsigned long)p > 1000) reach_error();
    return 0;
}
