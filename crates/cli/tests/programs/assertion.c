//% run: --values 5
//% exit: 0
//% run: --values 11
//% exit: 1
//% err: assertion.c:16
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), sum = 0;
    for (int i = 0; i < n; i++) {
        sum += i;
    }

    assert(sum < 50);
    return 0;
}
