// expect: safe!
// data: 64
// A byte that is not constant was written to one place, and the whole array was forgotten.
void reach_error(void);
void *memset(void *, int, unsigned long);
unsigned long a[4];
_Bool b[4];
static void set_bytes(void *to, int c, unsigned long n) {
    unsigned char *t = to;
    for (unsigned long i = 0; i < n; i++) t[i] = c;
}
int main(void) {
    memset((unsigned char *)a + 6, b[3], 1);
    set_bytes((signed char *)a + 6, 0, 0);
    if (((unsigned char *)a)[0]) reach_error();
}
