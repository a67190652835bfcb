// expect: unsafe
// not run: the order of objects is open
void reach_error(void);
void *malloc(unsigned long);
int main(void) {
    char *p = malloc(4), *q = malloc(4);
    if (q < p) reach_error();
}
