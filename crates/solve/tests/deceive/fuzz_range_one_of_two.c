// expect: unsafe!
// A range in one of two objects was written to both, where what lies in them is of different types.
void reach_error(void);
void *memset(void *, int, unsigned long);
int __VERIFIER_nondet_int(void);
int x;
short y[2];
int main(void) {
    void *p = __VERIFIER_nondet_int() ? (void *)&x : (void *)y;
    y[0] = 3;
    memset(p, 1, 4);
    if (y[0] != 3 && x == 0) reach_error();
}
