// expect: unsafe
// not run: the types of call and function differ
// A pointer to a function is read as a number and stored elsewhere, at another offset.
void reach_error(void);
struct code { void (*f)(int); };
struct data { unsigned long v; };
struct to { long n; void (*g)(void); };
struct two { long n; unsigned long v; };
static void f(int n) { reach_error(); }
struct code code = { f };
struct to to;
int main(void) {
    struct two *two = (struct two *)&to;
    two->v = ((struct data *)&code)->v;
    to.g();
}
