// expect: unsafe
// values: 1
// The pointer comes from one of two objects of different shape.
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct s { char tag[4]; int v; } x;
char other[8];
int main(void) {
    char *p = __VERIFIER_nondet_int() ? x.tag : other;
    for (int i = 0; i < 8; i++) p[i] = 1;
    if (x.v) reach_error();
}
