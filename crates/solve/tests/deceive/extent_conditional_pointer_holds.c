// expect: safe!
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct s { char tag[4]; int v; } x;
char other[8];
int main(void) {
    int c = __VERIFIER_nondet_int();
    char *p = c ? x.tag : other;
    for (int i = 0; i < 8; i++) p[i] = 1;
    if (x.v != (c ? 0x01010101 : 0)) reach_error();
}
