// expect: unsafe
// values: 8
void reach_error(void);
void *memset(void *, int, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
struct s { char tag[4]; char rest[4]; } a;
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 8) return 0;
    memset(a.tag, 1, n);
    if (a.rest[3] == 1) reach_error();
}
