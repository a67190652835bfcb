// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct in { char c[2]; short n; };
struct out { struct in first, second; int v; } x, y;
int main(void) {
    char *p = (char *)&y, *q = (char *)&x;
    x.second.n = __VERIFIER_nondet_int();
    x.v = 5;
    for (unsigned i = 0; i < sizeof x; i++) p[i] = q[i];
    if (y.second.n != x.second.n || y.v != 5) reach_error();
}
