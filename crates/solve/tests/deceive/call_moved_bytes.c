// expect: unsafe
// not run: the types of call and function differ
// A pointer moves by bytes between two casts.
void reach_error(void);
struct wide { long n; void (*f)(int); };
struct narrow { void (*g)(void); };
static void f(int n) { reach_error(); }
struct wide wide = { 1, f };
int main(void) {
    char *p = (char *)&wide;
    p += sizeof(long);
    ((struct narrow *)p)->g();
}
