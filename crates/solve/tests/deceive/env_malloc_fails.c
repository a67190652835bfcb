// expect: unsafe
// assuming: allocation
// not run: memory does not end there
void reach_error(void);
void *malloc(unsigned long n);
int main(void) {
    char *p = malloc(1);
    if (!p) reach_error();
    return 0;
}
