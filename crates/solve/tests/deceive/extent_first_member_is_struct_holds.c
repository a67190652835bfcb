// expect: safe!
void reach_error(void);
struct base { int kind; };
struct derived { struct base base; int v; } x;
static void set(struct base *b) { ((struct derived *)b)->v = 3; }
int main(void) {
    set(&x.base);
    if (x.v != 3 || x.base.kind) reach_error();
}
