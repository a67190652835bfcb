// expect: unsafe
// values: 2
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
static void a(void) {}
static int b(int x) { return x; }
static void c(char *s) { if (*s == 'x') reach_error(); }
void (*table[])(void *) = { (void (*)(void *))a, (void (*)(void *))b, (void (*)(void *))c };
int main(void) {
    table[__VERIFIER_nondet_uint() % 3]("x");
}
