// expect: unsafe
// An int across the border of two ints, copied byte by byte.
void reach_error(void);
int a[2] = { 0x11223344, 0x55667788 };
int main(void) {
    unsigned x = 0;
    char *to = (char *)&x, *from = (char *)a + 3;
    for (int i = 0; i < 4; i++) to[i] = from[i];
    if (x == 0x66778811) reach_error();
}
