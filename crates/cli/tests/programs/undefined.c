//% run: --values 0
//% exit: 2
//% err: zero
//% run: --values 1
//% exit: 2
//% err: null
//% run: --values 2
//% exit: 2
//% err: bounds
//% run: --values 3
//% exit: 2
//% err: after free
//% run: --values 4
//% exit: 2
//% err: shift
//% run: --values 9
//% exit: 0
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int what = __VERIFIER_nondet_int();
    int a[4] = { 0 }, *p = 0, zero = a[0], i = 4;
    switch (what) {
    case 0: return 1 / zero;
    case 1: return *p;
    case 2: return a[i];
    case 3:
        p = malloc(sizeof *p);
        *p = 1;
        free(p);
        return *p;
    case 4: return 1 << (zero + 32);
    }
    return 0;
}
