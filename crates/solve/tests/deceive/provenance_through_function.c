// expect: unsafe
void reach_error(void);
int x;
static unsigned long same(unsigned long n) {
    unsigned long r = 0;
    while (n--  > 0 && r < 3) r++;
    return r;
}
int main(void) {
    unsigned long n = (unsigned long)&x;
    *(int *)(n - 3 + same(n)) = 1;
    if (x) reach_error();
}
