// expect: unsafe
// values: 1
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct a { int x; } a;
struct b { int y, z; } b;
static unsigned long pack(void *p, int tag) { return (unsigned long)p + tag; }
int main(void) {
    unsigned long n = __VERIFIER_nondet_int() ? pack(&b, 1) : pack(&a, 0);
    if (n % 2) ((struct b *)(n - 1))->z = 3;
    else ((struct a *)n)->x = 3;
    if (b.z == 3) reach_error();
}
