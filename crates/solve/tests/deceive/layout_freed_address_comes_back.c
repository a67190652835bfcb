// expect: unsafe
// not run: the next allocation may get what was freed
void reach_error(void);
void *malloc(unsigned long);
void free(void *);
int main(void) {
    int *p = malloc(sizeof *p);
    unsigned long old = (unsigned long)p;
    free(p);
    int *q = malloc(sizeof *q);
    if ((unsigned long)q == old) reach_error();
}
