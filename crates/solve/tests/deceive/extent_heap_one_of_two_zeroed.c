// expect: unsafe
// values: 1, 40
void reach_error(void);
void *malloc(unsigned long);
void *memset(void *, int, unsigned long);
int __VERIFIER_nondet_int(void);
struct pair { int a, b; };
int main(void) {
    struct pair *s = malloc(sizeof *s), *t = malloc(sizeof *t), *p;
    int v;
    p = __VERIFIER_nondet_int() ? t : s;
    v = __VERIFIER_nondet_int();
    s->a = v;
    t->b = v;
    memset(p, 0, sizeof *p);
    if (v > 33 && v < 47 && s->a == v && t->b == 0) reach_error();
}
