// expect: unsafe
// not run: the value is an address
void reach_error(void);
unsigned long __VERIFIER_nondet_ulong(void);
int x, y;
int main(void) {
    unsigned long seen[2] = { (unsigned long)&x, (unsigned long)&y };
    unsigned long n = __VERIFIER_nondet_ulong();
    for (int i = 0; i < 2; i++)
        if (seen[i] == n) *(int *)n += i + 1;
    if (y == 2) reach_error();
    return 0;
}
