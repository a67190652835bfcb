// expect: unsafe!
void reach_error(void);
int x;
int main(void) {
    union { int *p; unsigned long n; } u;
    u.p = &x;
    unsigned long n = u.n;
    *(int *)n = 1;
    if (x) reach_error();
}
