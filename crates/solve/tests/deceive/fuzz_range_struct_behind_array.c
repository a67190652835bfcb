// expect: unsafe!
// values: 3
// The same for a struct that is assigned.
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct pair { int x, y; } pair = {1, 2};
struct { int a[4]; int b; } s;
int main(void) {
    unsigned i = __VERIFIER_nondet_int() & 3;
    s.a[i] = 5;
    *(struct pair *)&s.a[i] = pair;
    if (s.b) reach_error();
}
