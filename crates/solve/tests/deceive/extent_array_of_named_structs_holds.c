// expect: safe!
void reach_error(void);
void *memset(void *, int, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
struct s { char name[4]; int v; } a[3];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint() % 3, k = __VERIFIER_nondet_uint() % 4;
    a[i].name[k] = 'x';
    a[i].v = 7;
    memset(&a[(i + 1) % 3], 0, sizeof *a);
    if (a[i].v != 7 || a[i].name[k] != 'x' || a[(i + 1) % 3].v != 0) reach_error();
    return 0;
}
