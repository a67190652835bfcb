// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
struct device { int open; };
struct ops { int (*open)(void *); };
static int device_open(struct device *d, int flags) { d->open = 1; return 0; }
struct ops ops = { (int (*)(void *))device_open };
int main(void) {
    struct device d = { 0 };
    ops.open(&d);
    if (d.open) reach_error();
}
