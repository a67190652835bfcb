// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct { int a : 3; unsigned b : 5; } s;
int main(void) {
    int n = __VERIFIER_nondet_int();
    s.a = n;
    s.b = n;
    if (s.a < -4 || s.a > 3 || s.b > 31 || ((s.a ^ s.b) & 7) != 0) reach_error();
    return 0;
}
