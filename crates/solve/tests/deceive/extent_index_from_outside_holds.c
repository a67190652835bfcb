// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct s { char tag[4]; char v[4]; } a;
int main(void) {
    char *p = a.tag;
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i >= 4) return 0;
    p[i] = 1;
    if (a.v[2] != 0 || a.tag[i] != 1) reach_error();
}
