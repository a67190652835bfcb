// expect: unsafe
void reach_error(void);
void *malloc(unsigned long);
void *memset(void *, int, unsigned long);
struct s { char tag[4]; int v; };
int main(void) {
    struct s *p = malloc(sizeof *p);
    p->v = 1;
    memset(p->tag, 0, sizeof *p);
    if (p->v == 0) reach_error();
}
