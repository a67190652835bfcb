// expect: safe!
// data: 64
// A twin: memory that is zero holds no address.
void reach_error(void);
void *calloc(unsigned long, unsigned long);
int x;
int main(void) {
    long *p = calloc(8, sizeof *p);
    if (p[6] == (long)&x) *(int *)p[6] = 1;
    if (x) reach_error();
}
