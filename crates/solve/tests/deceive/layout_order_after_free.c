// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
void *malloc(unsigned long);
void free(void *);
int main(void) {
    char *a = malloc(8), *b = malloc(8);
    int below = a < b;
    free(a);
    char *c = malloc(8);
    if (below && c < b) reach_error();
    return 0;
}
