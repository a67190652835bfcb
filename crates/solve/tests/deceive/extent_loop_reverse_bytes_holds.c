// expect: safe!
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), m = n;
    unsigned char *b = (unsigned char *)&n;
    for (int i = 0, k = 3; i < k; i++, k--) { unsigned char t = b[i]; b[i] = b[k]; b[k] = t; }
    if (n != (m << 24 | (m & 0xff00) << 8 | (m >> 8 & 0xff00) | m >> 24)) reach_error();
    return 0;
}
