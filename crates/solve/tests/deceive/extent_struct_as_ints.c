// expect: unsafe
// A struct of ints is walked as an array.
void reach_error(void);
struct s { int a[2], b, c; } x;
int main(void) {
    int *p = (int *)&x;
    for (unsigned i = 0; i < sizeof x / sizeof *p; i++) p[i] = i + 1;
    if (x.c == 4 && x.b == 3) reach_error();
}
