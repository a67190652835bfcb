// expect: unsafe
// data: 32
// not run: depends on where objects lie
void reach_error(void);
void *memset(void *, int, unsigned long);
char x[16];
int main(void) {
    char *p;
    memset(&p, 8, sizeof p);
    if (p == x) { *p = 1; if (x[0]) reach_error(); }
    return 0;
}
