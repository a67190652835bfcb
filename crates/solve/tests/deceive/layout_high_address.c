// expect: unsafe
// data: 64
// not run: the address space has 64 bits
void reach_error(void);
int x;
int main(void) {
    if ((unsigned long)&x > 0x7fffffffUL) reach_error();
}
