// expect: unsafe
// data: 32
void reach_error(void);
int x, y;
int main(void) {
    unsigned long long both = (unsigned long long)(unsigned)&x << 32 | (unsigned)&y;
    int *p = (int *)(unsigned)(both >> 32), *q = (int *)(unsigned)both;
    *p = 1;
    *q = 2;
    if (x == 1 && y == 2) reach_error();
    return 0;
}
