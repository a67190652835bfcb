// expect: unsafe
// values: -3
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct { int before[4]; int a[4]; } s;
int main(void) {
    int n = __VERIFIER_nondet_int();
    s.a[n % 4] = 7;
    if (s.before[1] == 7) reach_error();
    return 0;
}
