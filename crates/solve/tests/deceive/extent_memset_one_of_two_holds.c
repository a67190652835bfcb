// expect: safe!
void reach_error(void);
void *memset(void *, int, unsigned long);
int __VERIFIER_nondet_int(void);
struct pair { int a, b; } s, t;
int main(void) {
    struct pair *p = __VERIFIER_nondet_int() == 7731 ? &t : &s;
    s.a = 5;
    t.b = 5;
    memset(p, 0, sizeof *p);
    if (p == &t && s.a != 5) reach_error();
    if (p == &s && t.b != 5) reach_error();
    if (p == &t && t.b == 5) reach_error();
}
