// expect: unsafe
// not run: the interpreter gives fresh memory
void reach_error(void);
void *malloc(unsigned long);
void free(void *);
// What a new allocation holds is arbitrary, and nothing says that it is no address.
int x;
int main(void) {
    long *p = malloc(64), *q;
    p[6] = (long)&x;
    free(p);
    q = malloc(64);
    if (q[6] == (long)&x) *(int *)q[6] = 1;
    if (x) reach_error();
}
