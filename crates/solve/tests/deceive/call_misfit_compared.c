// expect: unsafe
// not run: the types of call and function differ
// What lies in memory from outside equals the address of a function that the call hands over other bits to.
void reach_error(void);
struct ops { void (*run)(int); };
struct ops *find(void);
static void f(float n) { reach_error(); }
int main(void) {
    struct ops *ops = find();
    if (!ops) return 0;
    void (*p)(int) = ops->run;
    if (p == (void (*)(int))f) ops->run(1);
}
