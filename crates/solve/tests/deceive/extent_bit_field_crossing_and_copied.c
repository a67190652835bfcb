// expect: unsafe
// values: 5
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct f { unsigned a : 5, b : 9, c : 13; } x, y;
int main(void) {
    int n = __VERIFIER_nondet_int();
    x.a = n; x.b = n * 3; x.c = n * 7;
    y = x;
    *(unsigned char *)&y ^= 0x20;
    if (y.a == 5 && y.b == 14 && y.c == 35) reach_error();
    return 0;
}
