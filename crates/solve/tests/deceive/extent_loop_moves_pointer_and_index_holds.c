// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct { int head; int a[4]; int tail; } s;
int main(void) {
    int i = __VERIFIER_nondet_int();
    int *p = s.a;
    if (i > 3) i = 3;
    while (i-- > 0) p++;
    *p = 5;
    if (s.tail == 5 || s.head == 5) reach_error();
    return 0;
}
