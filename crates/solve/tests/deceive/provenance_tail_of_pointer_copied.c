// expect: unsafe
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
// Both objects lie at a multiple of 256: the lowest bytes of their addresses are the same.
_Alignas(256) int x;
_Alignas(256) int y;
int main(void) {
    int *p = &x, *q = &y;
    memcpy((char *)&q + 1, (char *)&p + 1, sizeof p - 1);
    *q = 1;
    if (x) reach_error();
}
