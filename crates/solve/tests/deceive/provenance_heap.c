// expect: unsafe
void reach_error(void);
void *malloc(unsigned long);
int main(void) {
    int *p = malloc(sizeof *p);
    *p = 0;
    unsigned long n = (unsigned long)p + 12;
    *(int *)(n - 12) = 1;
    if (*p) reach_error();
}
