// expect: safe!
void reach_error(void);
void *malloc(unsigned long);
int a, b;
int main(void) {
    int c, *p = malloc(sizeof *p), *q = malloc(sizeof *q);
    if (&a == &b || &a == &c || p == q || p == &b || q == &c) reach_error();
}
