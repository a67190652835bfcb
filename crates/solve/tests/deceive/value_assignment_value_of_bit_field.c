// expect: unsafe
// values: 13
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct { int a : 3; unsigned b : 2; } s;
int main(void) {
    int n = __VERIFIER_nondet_int(), x, y;
    x = s.a = n;
    y = s.b += 7;
    if (n == 13 && x == -3 && y == 3 && s.b++ == 3 && s.b == 0 && --s.b == 3) reach_error();
    return 0;
}
