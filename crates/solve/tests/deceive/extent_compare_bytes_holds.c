// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct s { char tag[4]; int v; } a, b;
int main(void) {
    unsigned char *p = (unsigned char *)&a, *q = (unsigned char *)&b;
    int same = 1;
    a.v = b.v = __VERIFIER_nondet_int();
    for (unsigned i = 0; i < sizeof a; i++)
        if (p[i] != q[i]) same = 0;
    if (!same) reach_error();
}
