//% run: --values 3,4
//% exit: 0
//% out: 12
//% run: --values 3,-4
//% exit: 0
//% out: -12
//% run: --values 6,7
//% exit: 1
//% run: --values=-1,0x10
//% exit: 0
//% err: assumption
#include <stdio.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0);
    int y = __VERIFIER_nondet_int();
    if (x * y == 42) reach_error();
    printf("%d\n", x * y);
    return 0;
}
