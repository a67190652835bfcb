// expect: safe!
void reach_error(void);
struct s { int v; };
static void work(struct s *s) { s->v = 1; }
static void apply(void (*f)(void *), void *data) { f(data); }
int main(void) {
    struct s s = { 0 };
    apply((void (*)(void *))work, &s);
    if (!s.v) reach_error();
}
