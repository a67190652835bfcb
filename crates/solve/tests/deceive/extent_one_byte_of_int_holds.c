// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
int main(void) {
    unsigned x = __VERIFIER_nondet_int(), old = x;
    unsigned char *p = (unsigned char *)&x;
    p[3] = p[3] ^ 255;
    if (x == old || (x ^ old) != 0xff000000) reach_error();
}
