// expect: unsafe
// not run: the next allocation may get what was freed
// A stale number is the address of the new object.
void reach_error(void);
void *malloc(unsigned long);
void free(void *);
int main(void) {
    int *p = malloc(sizeof *p);
    unsigned long old = (unsigned long)p;
    free(p);
    int *q = malloc(sizeof *q);
    *q = 0;
    if ((unsigned long)q == old) {
        *(int *)old = 1;
        if (*q) reach_error();
    }
}
