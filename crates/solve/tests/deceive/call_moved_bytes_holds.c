// expect: safe!
// A pointer moves by bytes between two casts, to a function of the type of the call; another one lies before it.
void reach_error(void);
struct wide { void (*n)(int); void (*f)(void); };
struct narrow { void (*g)(void); };
static int calls;
static void other(int n) { reach_error(); }
static void f(void) { calls++; }
struct wide wide = { other, f };
int main(void) {
    char *p = (char *)&wide;
    p += sizeof(void (*)(int));
    ((struct narrow *)p)->g();
    if (calls != 1) reach_error();
}
