// expect: unsafe
// values: 2
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
struct s { char c; short d; int e; } a[5];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    struct s v = { 1, 2, 3 };
    if (i > 3) return 0;
    memcpy((char *)&a[i] + 4, &v, 6);
    if (a[i].e == 0x20001 && (a[i + 1].c == 3)) reach_error();
    return 0;
}
