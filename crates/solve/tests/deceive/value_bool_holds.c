// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    _Bool b = n;
    if (b != (n != 0) || (b ^= 1) != !n || b > 1) reach_error();
    b += n;
    if (b != 0 && b != 1) reach_error();
    return 0;
}
