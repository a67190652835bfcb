// expect: unsafe
// not run: locals of two calls, one after the other, may share their place
void reach_error(void);
static unsigned long f(void) { char a[8]; return (unsigned long)a; }
static unsigned long g(void) { char b[8]; return (unsigned long)b; }
int main(void) {
    unsigned long a = f();
    if (a == g()) reach_error();
}
