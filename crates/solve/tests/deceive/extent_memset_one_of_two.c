// expect: unsafe
// values: 7731
void reach_error(void);
void *memset(void *, int, unsigned long);
int __VERIFIER_nondet_int(void);
// Of one object the first member is looked at, of the other the second: filling the one must leave the other alone.
struct pair { int a, b; } s, t;
int main(void) {
    struct pair *p = __VERIFIER_nondet_int() == 7731 ? &t : &s;
    s.a = 5;
    t.b = 5;
    memset(p, 0, sizeof *p);
    if (p == &t && s.a == 5) reach_error();
}
