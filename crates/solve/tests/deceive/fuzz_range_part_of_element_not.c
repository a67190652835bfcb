// expect: safe!
// The twin: the other elements are as they were.
void reach_error(void);
void *memset(void *, int, unsigned long);
int a[4];
int main(void) {
    memset(a, 1, 6);
    for (unsigned i = 2; i < 4; i++)
        if (a[i]) reach_error();
}
