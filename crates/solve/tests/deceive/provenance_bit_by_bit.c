// expect: unsafe
void reach_error(void);
int x;
int main(void) {
    unsigned long n = (unsigned long)&x, m = 0;
    for (unsigned i = 0; i < 8 * sizeof n; i++)
        if (n >> i & 1) m |= 1UL << i;
    *(int *)m = 1;
    if (x) reach_error();
}
