// expect: safe!
// Numbers of the last page are no addresses.
void reach_error(void);
int __VERIFIER_nondet_int(void);
int x;
static int is_error(void *p) { return (unsigned long)p >= (unsigned long)-4095; }
static void *find(int n) { return n < 0 && n > -4096 ? (void *)(long)n : &x; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    void *p = find(n);
    if (is_error(p) && (n >= 0 || (long)p != n)) reach_error();
    return 0;
}
