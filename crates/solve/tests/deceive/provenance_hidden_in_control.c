// expect: unsafe
void reach_error(void);
int x;
// Each bit of the address goes through a branch.
static unsigned char same(unsigned char b) {
    unsigned char r = 0;
    for (int i = 0; i < 8; i++)
        if (b & 1 << i) r |= 1 << i;
    return r;
}
int main(void) {
    int *p = &x, *q = 0;
    for (unsigned i = 0; i < sizeof p; i++) ((unsigned char *)&q)[i] = same(((unsigned char *)&p)[i]);
    *q = 1;
    if (x) reach_error();
    return 0;
}
