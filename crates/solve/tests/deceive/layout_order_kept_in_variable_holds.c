// expect: safe!
void reach_error(void);
struct s { int v; } a, b;
static int below(void *p, void *q) { return (char *)p < (char *)q; }
int main(void) {
    a.v = below(&a, &b);
    b.v = below(&b, &a);
    if (a.v + b.v != 1) reach_error();
    return 0;
}
