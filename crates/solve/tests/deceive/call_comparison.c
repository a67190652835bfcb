// expect: unsafe
// not run: the types of call and function differ
// As for qsort: the comparison takes pointers to int and gives a long.
void reach_error(void);
static long compare(const int *a, const int *b) { if (*a < *b) reach_error(); return *a - *b; }
static int first(const void *a, const void *b, int (*c)(const void *, const void *)) { return c(a, b); }
int main(void) {
    int a = 1, b = 2;
    first(&a, &b, (int (*)(const void *, const void *))compare);
}
