//% run:
//% exit: 1
//% out: about to fail
//% err: error_call.c:12
extern void __VERIFIER_error(void);
extern int printf(const char *, ...);

int main(void) {
    int x = 1;
    printf("about to fail\n");
    if (x)
        __VERIFIER_error();
    return 0;
}
