// expect: unsafe
// values: 1
void reach_error(void);
void *memset(void *, int, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
struct { unsigned head; unsigned a[8]; } s;
int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i > 7) return 0;
    memset(&s, 255, 10);
    if (s.a[i] == 0xffff) reach_error();
    return 0;
}
