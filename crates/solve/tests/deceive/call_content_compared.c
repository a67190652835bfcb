// expect: unsafe
// not run: the interpreter would have to guess an address
// What lies in memory from outside equals the address of a function of another type.
void reach_error(void);
struct ops { void (*run)(void); };
struct ops *find(void);
static void f(float n) { reach_error(); }
int main(void) {
    struct ops *ops = find();
    if (!ops) return 0;
    void *p = (void *)f;
    if ((void *)ops->run == p) ops->run();
}
