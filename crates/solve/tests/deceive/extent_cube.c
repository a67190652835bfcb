// expect: unsafe
// Three dimensions, one walk.
void reach_error(void);
short a[2][2][2];
int main(void) {
    short *p = a[0][1], n = 0;
    while (p != (short *)(a + 2)) *p++ = ++n;
    if (a[1][1][1] == 6 && a[1][0][0] == 3) reach_error();
}
