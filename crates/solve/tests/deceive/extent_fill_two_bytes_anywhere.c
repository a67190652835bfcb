// expect: unsafe
// values: 5, 5093
void reach_error(void);
void *memset(void *, int, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
int x[4];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint(), key = __VERIFIER_nondet_uint();
    if (i > 14) return 0;
    char *p = (char *)(((unsigned long)x ^ 0) * 1 + i);
    x[1] = key;
    memset(p, 1, 2);
    if (x[1] == (key & 0xff0000ff) + 0x010100 && key % 1009 == 48) reach_error();
    return 0;
}
