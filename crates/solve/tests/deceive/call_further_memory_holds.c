// expect: safe!
// Memory that a pointer in memory of another type leads to: the function has the type of the call.
void reach_error(void);
struct inner { void (*f)(void); void (*h)(int); };
struct outer { long n; struct inner *in; };
struct inner2 { void (*g)(void); };
struct outer2 { long n; struct inner2 *in; };
static int calls;
static void f(void) { calls++; }
static void h(int n) { reach_error(); }
struct inner inner = { f, h };
struct outer outer = { 1, &inner };
int main(void) {
    struct outer2 *o = (struct outer2 *)&outer;
    o->in->g();
    if (calls != 1) reach_error();
}
