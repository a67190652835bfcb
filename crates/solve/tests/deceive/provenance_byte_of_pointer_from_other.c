// expect: unsafe
void reach_error(void);
void *memset(void *, int, unsigned long);
_Alignas(256) char x[256];
_Alignas(256) char y[256];
int main(void) {
    char *p = &x[7], *q = y;
    unsigned char *from = (unsigned char *)&p, *to = (unsigned char *)&q;
    for (unsigned i = 1; i < sizeof p; i++) to[i] = from[i];
    *q = 1;
    if (x[0]) reach_error();
    return 0;
}
