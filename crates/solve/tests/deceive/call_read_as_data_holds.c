// expect: safe!
// A pointer to a function is read as a number and stored elsewhere; it has the type of the call.
void reach_error(void);
struct code { void (*f)(void); };
struct data { unsigned long v; };
static int calls;
static void f(void) { calls++; }
static void other(int n) { calls = n; }
struct code code = { f };
void (*unused)(int) = other;
struct { long n; void (*g)(void); } to;
int main(void) {
    unsigned long v = ((struct data *)&code)->v;
    ((struct data *)&to.g)->v = v;
    to.g();
    if (calls != 1) reach_error();
    unused(5);
    if (calls != 5) reach_error();
}
