// expect: unsafe
// values: 256
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct { _Bool f : 1; signed g : 1; unsigned h : 3; } s;
int main(void) {
    int n = __VERIFIER_nondet_int();
    s.f = n;
    s.g = n >> 8;
    s.h = n + 9;
    if (s.f == 1 && s.g == -1 && s.h - 2 < 0 && (s.h = 12) == 4) reach_error();
    return 0;
}
