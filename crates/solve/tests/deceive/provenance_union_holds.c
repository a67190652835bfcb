// expect: safe
void reach_error(void);
int x, y;
int main(void) {
    union { int *p; unsigned long n; } u;
    u.p = &x;
    u.n += 0;
    *u.p = 1;
    if (!x || y) reach_error();
}
