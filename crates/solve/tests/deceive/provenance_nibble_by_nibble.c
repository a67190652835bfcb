// expect: unsafe
void reach_error(void);
int x;
int main(void) {
    unsigned long n = (unsigned long)&x, m = 0;
    for (int i = 2 * sizeof n - 1; i >= 0; i--) {
        int nibble = n >> 4 * i & 15;
        m = m << 4;
        for (int k = 0; k < 16; k++)
            if (k == nibble) m |= k;
    }
    *(int *)m = 1;
    if (x) reach_error();
}
