// expect: safe!
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
static int one(int x) { return 1; }
static int two(int x) { return 2; }
int (*table[])(int) = { one, two };
int main(void) {
    int r = table[__VERIFIER_nondet_uint() % 2](5);
    if (r != 1 && r != 2) reach_error();
}
