// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
void *malloc(unsigned long);
int main(void) {
    char *p = malloc(16), *q = malloc(16);
    char *end = p;
    for (int i = 0; i < 16; i++) end++;
    if (end == q) reach_error();
    return 0;
}
