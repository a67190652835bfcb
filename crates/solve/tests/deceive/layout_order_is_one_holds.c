// expect: safe!
// Whatever the order is, it is one.
void reach_error(void);
int x, y;
int main(void) {
    unsigned long a = (unsigned long)&x, b = (unsigned long)&y;
    if (a == b || (a < b && b < a) || &x == &y) reach_error();
}
