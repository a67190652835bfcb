// expect: safe!
void reach_error(void);
void *malloc(unsigned long);
void *realloc(void *, unsigned long);
int main(void) {
    int x = 3;
    int *p = malloc(2 * sizeof *p);
    p[0] = 5;
    p = realloc(p, 4 * sizeof *p);
    p[3] = 6;
    if (x != 3 || p[3] != 6) reach_error();
    return 0;
}
