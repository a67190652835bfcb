// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
struct s { int *p; };
static void set(struct s *s, int *q) { s->p = q; }
int main(void) {
    struct s s = { 0 };
    { int a = 1; set(&s, &a); }
    { int b = 2; if (s.p == &b) reach_error(); }
    return 0;
}
