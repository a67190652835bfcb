// expect: unsafe
// not run: the interpreter gives fresh memory
void reach_error(void);
void *malloc(unsigned long);
void free(void *);
int main(void) {
    unsigned long last = 0;
    int hits = 0;
    for (int i = 0; i < 3; i++) {
        int *p = malloc(8);
        *p = i;
        if (last == (unsigned long)p) { *(int *)last = 9; hits += *p == 9; }
        last = (unsigned long)p;
        free(p);
    }
    if (hits == 2) reach_error();
    return 0;
}
