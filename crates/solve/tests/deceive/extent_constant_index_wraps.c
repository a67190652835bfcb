// expect: unsafe
// data: 32
void reach_error(void);
int a[4];
int main(void) {
    int *p = a;
    p += 0x40000001u;
    *p = 1;
    if (a[1]) reach_error();
    return 0;
}
