// expect: unsafe
// values: 1
// The element is chosen from outside.
void reach_error(void);
void *memset(void *, int, unsigned long);
unsigned __VERIFIER_nondet_uint(void);
struct s { char tag[4]; int v; } a[3];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint() % 2;
    memset(a[i].tag, 255, 16);
    if (a[2].v == -1) reach_error();
}
