// expect: safe!
// Two tables of functions of different types; neither pointer gets to the other.
void reach_error(void);
unsigned __VERIFIER_nondet_uint(void);
static int state;
static void open_it(int n) { state = n; }
static void shut_it(int n) { state = 0; }
static int ask(void) { return state; }
struct device { void (*open)(int); void (*shut)(int); };
struct query { int (*ask)(void); };
struct device device = { open_it, shut_it };
struct query query = { ask };
int main(void) {
    struct device *d = &device;
    struct query *q = &query;
    d->open(7);
    if (q->ask() != 7) reach_error();
    (__VERIFIER_nondet_uint() ? d->shut : d->open)(0);
    if (q->ask() != 0) reach_error();
}
