// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
struct ops { int (*f)(int); };
struct dev { struct ops *ops; };
struct ops2 { void (*g)(long); };
struct dev2 { struct ops2 *ops; };
static int hit(int n) { if (n == 4) reach_error(); return 0; }
struct ops o = { hit };
struct dev d = { &o };
int main(void) {
    struct dev2 *e = (struct dev2 *)&d;
    e->ops->g(4);
    return 0;
}
