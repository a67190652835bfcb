// expect: unsafe!
// The condition becomes an `int`: nothing is left of it.
void __VERIFIER_assert(int holds);
int main(void) {
    long long x = 1LL << 32;
    __VERIFIER_assert(x);
    return 0;
}
