// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
union u { unsigned char b[4]; int i; } x;
int main(void) {
    x.i = __VERIFIER_nondet_int();
    x.b[0] = 1;
    if (x.i % 2 == 0) reach_error();
}
