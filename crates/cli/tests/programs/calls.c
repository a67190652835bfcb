//% run:
//% exit: 0
//% out: 9
//% out: 1200
//% out: 0 10
//% out: 7 13
//% out: 0 5 6
//% out: 6 6 1
#include <stdarg.h>
#include <stdio.h>

static int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static int counter(void) {
    static int calls = 10;
    return ++calls;
}

static int sum(int n, ...) {
    va_list list;
    int total = 0;
    va_start(list, n);
    while (n--) total += va_arg(list, int);
    va_end(list);
    return total;
}

static int old_style(a, b) int a; char b; { return a - b; }

#define MAX(a, b) ({ typeof(a) _a = (a); typeof(b) _b = (b); _a > _b ? _a : _b; })

enum colour { RED, GREEN = 5, BLUE };

int main(void) {
    printf("%d\n", ackermann(2, 3));
    counter();
    printf("%d\n", counter() * 100);
    printf("%d %d\n", sum(0), sum(4, 1, 2, 3, 4));
    printf("%d %d\n", old_style(10, 3), MAX(counter(), 3));
    printf("%d %d %d\n", RED, GREEN, BLUE);
    int n = 0;
    int r = (n++ && n++) || (n += 5, n > 3) ? n : -n;
    printf("%d %d %d\n", r, n, __builtin_expect(n == 6, 1));
    return 0;
}
