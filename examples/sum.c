// The sum of the numbers up to n, by recursion. The proof is a contract of the procedure, for every depth.

#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int sum(int n) {
    return n <= 0 ? 0 : n + sum(n - 1);
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n >= 0 && n < 1000) assert(sum(n) >= n);
    return 0;
}
