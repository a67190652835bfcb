// expect: unsafe
// not run: the types of call and function differ
// Memory that a pointer in memory of another type leads to.
void reach_error(void);
struct inner { void (*f)(int); };
struct outer { long n; struct inner *in; };
struct inner2 { void (*g)(void); };
struct outer2 { long n; struct inner2 *in; };
static void f(int n) { reach_error(); }
struct inner inner = { f };
struct outer outer = { 1, &inner };
int main(void) {
    struct outer2 *o = (struct outer2 *)&outer;
    o->in->g();
}
