// expect: safe!
void reach_error(void);
void *malloc(unsigned long);
struct s { int n; int a[]; };
int main(void) {
    struct s *p = malloc(sizeof *p + 2 * sizeof(int));
    p->n = 1;
    p->a[0] = 2;
    p->a[1] = 3;
    if (p->n != 1 || p->a[0] != 2 || p->a[1] != 3) reach_error();
}
