// expect: safe!
void reach_error(void);
struct lock { int taken; } a, b;
int order;
static void take(struct lock *l) { l->taken = ++order; }
int main(void) {
    struct lock *p = &a, *q = &b;
    if ((unsigned long)p > (unsigned long)q) p = &b, q = &a;
    take(p);
    take(q);
    if (a.taken + b.taken != 3) reach_error();
}
