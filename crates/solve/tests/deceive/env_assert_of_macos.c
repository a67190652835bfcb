// expect: unsafe!
// values: 3
int __VERIFIER_nondet_int(void);
void __assert_rtn(const char *function, const char *file, int line, const char *what) __attribute__((noreturn));
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 3) __assert_rtn("main", "f.c", 7, "x != 3");
    return 0;
}
