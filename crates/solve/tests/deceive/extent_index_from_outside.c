// expect: unsafe
// values: 6
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct s { char tag[4]; char v[4]; } a;
int main(void) {
    char *p = a.tag;
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i >= 8) return 0;
    p[i] = 1;
    if (a.v[2] == 1) reach_error();
}
