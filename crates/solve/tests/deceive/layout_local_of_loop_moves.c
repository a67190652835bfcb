// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
int __VERIFIER_nondet_int(void);
int main(void) {
    unsigned long last = 0;
    for (int i = 0; i < 2; i++) {
        int a = __VERIFIER_nondet_int();
        if (last && last != (unsigned long)&a) reach_error();
        last = (unsigned long)&a;
    }
    return 0;
}
