// expect: unsafe
// A pointer passes a variadic function as a number.
void reach_error(void);
int x;
static void set(int n, ...) {
    __builtin_va_list l;
    __builtin_va_start(l, n);
    *(int *)__builtin_va_arg(l, unsigned long) = n;
    __builtin_va_end(l);
}
int main(void) {
    set(1, (unsigned long)&x);
    if (x) reach_error();
}
