// expect: unsafe
// not run: the next allocation may get what was freed
void reach_error(void);
void *malloc(unsigned long);
void free(void *);
int main(void) {
    unsigned long last = 0;
    for (int i = 0; i < 3; i++) {
        char *p = malloc(8);
        if ((unsigned long)p == last) reach_error();
        last = (unsigned long)p;
        free(p);
    }
}
