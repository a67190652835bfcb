// expect: unsafe!
void reach_error(void);
struct s { int v; int list; } x;
int main(void) {
    int *l = &x.list;
    struct s *s = (struct s *)((char *)l - (unsigned long)&((struct s *)0)->list);
    s->v = 5;
    if (x.v == 5) reach_error();
}
