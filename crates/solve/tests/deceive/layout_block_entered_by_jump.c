// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
int __VERIFIER_nondet_int(void);
int main(void) {
    unsigned long last = 0;
    int n = 0;
again:
    switch (n) {
        int a;
    default:
        a = n;
        if (last && last != (unsigned long)&a) reach_error();
        last = (unsigned long)&a;
    }
    if (n++ < 2) goto again;
    return 0;
}
