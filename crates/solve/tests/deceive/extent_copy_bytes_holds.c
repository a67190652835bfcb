// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct s { char tag[4]; int v; } a, b;
int main(void) {
    char *to = (char *)&b, *from = (char *)&a;
    a.v = __VERIFIER_nondet_int();
    a.tag[1] = 3;
    for (unsigned i = 0; i < sizeof a; i++) to[i] = from[i];
    if (b.v != a.v || b.tag[1] != 3) reach_error();
}
