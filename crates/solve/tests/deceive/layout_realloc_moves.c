// expect: unsafe
// not run: an object that grows may stay or move
void reach_error(void);
void *malloc(unsigned long);
void *realloc(void *, unsigned long);
int main(void) {
    char *p = malloc(4);
    unsigned long old = (unsigned long)p;
    p = realloc(p, 8);
    if ((unsigned long)p == old) reach_error();
}
