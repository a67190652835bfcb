// expect: unsafe
// not run: the interpreter knows no assembler
void reach_error(void);
int x[4];
int main(void) {
    unsigned long n;
    __asm__("" : "=r"(n) : "0"(x));
    *(int *)(n + 4) = 1;
    if (x[1]) reach_error();
    return 0;
}
