// expect: unsafe
// assuming: extern
// not run: a function without body does nothing there
void reach_error(void);
void tick(int *p);
int depth(int n) {
    int x = 0;
    tick(&x);
    if (x) reach_error();
    return n <= 0 ? 0 : depth(n - 1);
}
int main(void) {
    return depth(2);
}
