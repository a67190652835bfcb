// expect: safe!
void reach_error(void);
int x, y;
int main(void) {
    unsigned long n = (unsigned long)&x | 1;
    *(int *)(n & ~1UL) = 1;
    if (!x || y) reach_error();
}
