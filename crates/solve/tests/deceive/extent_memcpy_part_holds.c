// expect: safe!
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
int main(void) {
    unsigned x = 0x01020304, y = 0xffffffff;
    memcpy((char *)&y + 1, &x, 2);
    if (y != 0xff0304ff) reach_error();
}
