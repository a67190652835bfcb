// expect: unsafe
// values: 1
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
struct in { int pad; int v[2]; };
struct out { char head[12]; struct in in; };
int a[6];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i > 1) return 0;
    struct out *p = (struct out *)((char *)&a[i] - 16);
    p->in.v[1] = 5;
    if (a[2] == 5) reach_error();
    return 0;
}
