// expect: unsafe
// assuming: asm
// not run: assembler does nothing there
void reach_error(void);
int x;
int main(void) {
    __asm__ volatile("movl $1, x" ::: "memory");
    if (x) reach_error();
    return 0;
}
