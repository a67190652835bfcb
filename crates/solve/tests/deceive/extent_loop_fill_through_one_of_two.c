// expect: unsafe
// values: 1, 9
void reach_error(void);
void *memset(void *, int, unsigned long);
int __VERIFIER_nondet_int(void);
struct s { int a[2]; int n; } x, y;
int main(void) {
    struct s *p = __VERIFIER_nondet_int() ? &y : &x;
    int key = __VERIFIER_nondet_int();
    x.a[0] = key;
    for (int i = 0; i < 3; i++) {
        y.n = key + i;
        memset(p, 0, sizeof *p);
    }
    if (x.a[0] == key && y.n == 0 && key > 7 && key < 12) reach_error();
    return 0;
}
