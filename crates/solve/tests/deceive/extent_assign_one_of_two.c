// expect: unsafe
// values: 7731
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct pair { int a, b; } s, t;
int main(void) {
    struct pair fresh = { 0, 0 };
    struct pair *p = __VERIFIER_nondet_int() == 7731 ? &t : &s;
    s.a = 5;
    t.b = 5;
    *p = fresh;
    if (t.b == 0 && s.a == 5) reach_error();
}
