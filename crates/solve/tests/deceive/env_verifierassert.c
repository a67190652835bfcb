// expect: unsafe!
// values: 3
int __VERIFIER_nondet_int(void);
void __VERIFIER_assert(int holds);
int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assert(x != 3);
    return 0;
}
