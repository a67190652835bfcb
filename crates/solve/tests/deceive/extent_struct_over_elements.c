// expect: unsafe
// values: 3, 5093
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
struct two { int x, y; };
struct { int a[4]; int b; } s;
int main(void) {
    struct two v = { 7, 8 };
    unsigned i = __VERIFIER_nondet_uint(), key = __VERIFIER_nondet_uint();
    if (i > 3) return 0;
    s.b = key;
    *(struct two *)&s.a[i & 3] = v;
    if (s.b == 8 && key % 1009 == 48) reach_error();
    return 0;
}
