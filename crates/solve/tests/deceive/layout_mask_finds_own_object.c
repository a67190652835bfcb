// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
struct s { int v[16]; } a;
int main(void) {
    struct s *p = (struct s *)((unsigned long)&a.v[8] & ~63ul);
    if (p == &a) reach_error();
    return 0;
}
