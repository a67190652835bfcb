// expect: unsafe
// The last array has one element and is used with more.
void reach_error(void);
void *malloc(unsigned long);
struct s { int n; int a[1]; };
int main(void) {
    struct s *p = malloc(sizeof *p + 3 * sizeof(int));
    int *q = p->a;
    for (int i = 0; i < 4; i++) p->a[i] = i;
    if (q[3] == 3) reach_error();
}
