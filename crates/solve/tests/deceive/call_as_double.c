// expect: unsafe
// data: 64
// The address travels as a double.
void reach_error(void);
static void f(int n) { reach_error(); }
struct a { void (*f)(int); };
struct b { double d; };
struct c { void (*g)(void); };
int main(void) {
    struct a a = { f };
    struct b b;
    struct c c;
    b.d = ((struct b *)&a)->d;
    *(struct b *)&c = b;
    c.g();
}
