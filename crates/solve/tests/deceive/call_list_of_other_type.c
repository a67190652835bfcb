// expect: unsafe
// A list is walked as a list of another type.
void reach_error(void);
struct node { struct node *next; void (*run)(int); };
struct item { struct item *next; int (*run)(void); };
static void last(int n) { reach_error(); }
static void none(int n) {}
struct node b = { 0, last }, a = { &b, none };
int main(void) {
    struct item *i = (struct item *)&a;
    i = i->next;
    i->run();
}
