// expect: unsafe
void reach_error(void);
void *memset(void *, int, unsigned long);
// The lowest byte of the address becomes zero: that is where the object begins.
_Alignas(256) int a[64];
int main(void) {
    int *p = &a[9];
    memset(&p, 0, 1);
    *p = 1;
    if (a[0]) reach_error();
    return 0;
}
