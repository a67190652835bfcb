// expect: unsafe
// values: 1, 2, 5093
void reach_error(void);
void *memset(void *, int, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
int m[4][3];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint(), k = __VERIFIER_nondet_uint(), key = __VERIFIER_nondet_uint();
    if (i > 3 || k > 2) return 0;
    m[i][k] = key;
    memset(m, 1, 20);
    if (i == 1 && m[i][k] == key && key % 1009 == 48) reach_error();
    return 0;
}
