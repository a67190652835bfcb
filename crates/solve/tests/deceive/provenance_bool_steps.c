// expect: unsafe
// One bit of the address chooses between two objects that are one.
void reach_error(void);
int x;
int main(void) {
    unsigned long n = (unsigned long)&x & ~4UL;
    if ((unsigned long)&x & 4) n += 4;
    *(int *)n = 1;
    if (x) reach_error();
}
