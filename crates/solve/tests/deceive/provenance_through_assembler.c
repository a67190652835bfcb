// expect: unsafe
// not run: the interpreter knows no assembler
void reach_error(void);
int x;
int main(void) {
    int *p = &x;
    __asm__("" : "+r"(p));
    *p = 1;
    if (x) reach_error();
    return 0;
}
