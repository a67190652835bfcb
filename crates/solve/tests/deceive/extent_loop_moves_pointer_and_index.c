// expect: unsafe
// values: 2, 1
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct { int head; int a[4]; int tail; } s;
int main(void) {
    int i = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
    int *p = s.a;
    while (i-- > 0) p++;
    while (k-- > 0) p += 2;
    *p = 5;
    if (s.tail == 5) reach_error();
    return 0;
}
