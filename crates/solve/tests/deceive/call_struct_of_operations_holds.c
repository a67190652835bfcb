// expect: safe!
void reach_error(void);
struct device { int open; };
struct ops { int (*open)(struct device *); };
static int device_open(struct device *d) { d->open = 1; return 0; }
struct ops ops = { device_open };
int main(void) {
    struct device d = { 0 };
    ops.open(&d);
    if (!d.open) reach_error();
}
