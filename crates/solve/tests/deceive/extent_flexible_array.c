// expect: unsafe
void reach_error(void);
void *malloc(unsigned long);
struct s { int n; int a[]; };
int main(void) {
    struct s *p = malloc(sizeof *p + 2 * sizeof(int));
    int *q = &p->n;
    p->a[1] = 0;
    q[2] = 6;
    if (p->a[1] == 6) reach_error();
}
