// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
struct a { int (*f)(int); };
struct b { void (*g)(long); };
static int hit(int n) { if (n == 4) reach_error(); return 0; }
static void use(struct b b) { b.g(4); }
int main(void) {
    struct a a = { hit };
    use(*(struct b *)&a);
    return 0;
}
