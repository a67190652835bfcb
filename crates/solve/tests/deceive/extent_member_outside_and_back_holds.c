// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct in { int pad[3]; int v; };
struct out { int pad; struct in in; };
int x, y[8];
int main(void) {
    struct out *p = (struct out *)((char *)&x - 16);
    int n = __VERIFIER_nondet_int();
    if (n) p = (struct out *)y;
    p->in.v = 1;
    if (n ? x || y[4] != 1 : x != 1 || y[4]) reach_error();
    return 0;
}
