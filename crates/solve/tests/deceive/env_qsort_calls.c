// expect: unsafe
void reach_error(void);
void qsort(void *base, unsigned long n, unsigned long size, int (*compare)(const void *, const void *));
static int called;
static int order(const void *a, const void *b) {
    called = 1;
    return -1;
}
int main(void) {
    char a[2] = {2, 1};
    qsort(a, 2, 1, order);
    if (called) reach_error();
    return 0;
}
