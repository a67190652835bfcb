// expect: unsafe
// not run: the types of call and function differ
// From a member back to what holds it.
void reach_error(void);
struct ops { long flags; void (*close)(int); long link; };
struct other { long flags; int (*close)(void); };
static void f(int n) { reach_error(); }
struct ops ops = { 0, f, 0 };
int main(void) {
    long *link = &ops.link;
    struct other *o = (struct other *)((char *)link - 2 * sizeof(long));
    o->close();
}
