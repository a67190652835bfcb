// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint() % 8 + 1;
    unsigned long was;
    { char a[n]; a[0] = 1; was = (unsigned long)a; }
    { char b[n]; b[0] = 2; if (was == (unsigned long)b) reach_error(); }
    return 0;
}
