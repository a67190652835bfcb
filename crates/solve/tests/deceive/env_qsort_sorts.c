// expect: unsafe
void reach_error(void);
void qsort(void *base, unsigned long n, unsigned long size, int (*compare)(const void *, const void *));
static int order(const void *a, const void *b) { return *(const signed char *)a - *(const signed char *)b; }
int main(void) {
    signed char a[2] = {2, 1};
    qsort(a, 2, 1, order);
    if (a[0] == 1) reach_error();
    return 0;
}
