// expect: safe!
void reach_error(void);
struct link { struct link *next; };
struct item { int v; struct link a, b; };
static struct item *by_a(struct link *l) { return (struct item *)((char *)l - __builtin_offsetof(struct item, a)); }
static struct item *by_b(struct link *l) { return (struct item *)((char *)l - __builtin_offsetof(struct item, b)); }
int main(void) {
    struct item x = { 1 }, y = { 2 };
    x.a.next = &y.a;
    y.b.next = &x.b;
    struct link *l = &x.a;
    if (by_a(l->next)->v != 2 || by_b(by_a(l->next)->b.next)->v != 1) reach_error();
    return 0;
}
