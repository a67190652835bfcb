// expect: unsafe
void reach_error(void);
int x;
int main(void) {
    char text[2 * sizeof(long)];
    unsigned long n = (unsigned long)&x, m = 0;
    for (unsigned i = 0; i < sizeof text; i++, n >>= 4) text[i] = "0123456789abcdef"[n & 15];
    for (int i = sizeof text - 1; i >= 0; i--)
        m = m * 16 + (text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
    *(int *)m = 1;
    if (x) reach_error();
}
