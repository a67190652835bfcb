// expect: unsafe
// externs: havoc
// assuming: extern
// not run: the interpreter changes nothing
// An object behind an object: that it stays is named.
void reach_error(void);
struct s { int *p; };
void fill(struct s *to);
int main(void) {
    int x = 0;
    struct s s = {&x};
    fill(&s);
    if (x) reach_error();
    return 0;
}
