//% run: --values 1
//% exit: 0
//% out: 2
//% run: --values 2147483647
//% exit: 2
//% err: overflow
//% err: overflow.c:19
//% run: --values 2147483647 --signed-wrap
//% exit: 0
//% out: -2147483648
//% run: --values 2147483647 --property no-overflow
//% exit: 1
extern int __VERIFIER_nondet_int(void);
extern int printf(const char *, ...);

int main(void) {
    int x = __VERIFIER_nondet_int();

    x = x + 1;
    printf("%d\n", x);
    return 0;
}
