// expect: unsafe
// not run: the interpreter knows no assembler
void reach_error(void);
int x;
int *q;
int main(void) {
    __asm__("" : "=r"(q) : "0"(&x));
    if (q == &x) {
        *q = 1;
        if (x) reach_error();
    }
    return 0;
}
