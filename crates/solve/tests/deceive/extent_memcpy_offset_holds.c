// expect: safe!
void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
int __VERIFIER_nondet_int(void);
struct s { char tag[4]; int v; } a;
int main(void) {
    int x = __VERIFIER_nondet_int(), y;
    memcpy((char *)&a + 4, &x, sizeof x);
    memcpy(&y, &a.v, sizeof y);
    if (a.v != x || y != x) reach_error();
}
