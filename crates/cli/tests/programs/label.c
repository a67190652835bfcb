//% run: --values 0
//% exit: 0
//% run: --values 1
//% exit: 1
//% run: --values 1 --property error-label
//% exit: 1
//% run: --values 1 --property unreach-call
//% exit: 0
extern int __VERIFIER_nondet_int(void);

int main(void) {
    if (__VERIFIER_nondet_int())
        goto ERROR;
    return 0;
ERROR:
    return 1;
}
