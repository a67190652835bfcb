// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
int x, y, z;
static int *low(int *p, int *q) { return p < q ? p : q; }
int main(void) {
    *low(&x, low(&y, &z)) = 1;
    if (y) reach_error();
    return 0;
}
