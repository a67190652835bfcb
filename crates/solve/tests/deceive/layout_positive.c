// expect: unsafe
// data: 32
// not run: half of the address space is positive
void reach_error(void);
int x;
int main(void) {
    if ((long)&x > 0) reach_error();
}
