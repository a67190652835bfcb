// expect: unsafe!
void reach_error(void);
int x;
int main(void) {
    unsigned long n = (unsigned long)&x | 1;
    if (n & 1) *(int *)(n & ~1UL) = 1;
    if (x) reach_error();
}
