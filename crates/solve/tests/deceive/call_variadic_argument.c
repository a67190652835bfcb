// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
static int hit(int n) { if (n == 4) reach_error(); return 0; }
static void take(int n, ...) {
    __builtin_va_list l;
    __builtin_va_start(l, n);
    void (*g)(long) = __builtin_va_arg(l, void (*)(long));
    g(4);
    __builtin_va_end(l);
}
int main(void) {
    take(1, hit);
    return 0;
}
