// expect: unsafe
// Two bytes of an int are copied.
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
int main(void) {
    int x = 0x01020304, y = 0;
    memcpy(&y, &x, 2);
    if (y == 0x0304) reach_error();
}
