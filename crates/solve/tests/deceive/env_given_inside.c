// expect: unsafe!
// not run: the interpreter gives null
// The environment gives a pointer to a member; the struct around it is its as well.
void reach_error(void);
struct link { int kind; };
struct node { long count; struct link link; };
struct link **next_link(void);
int main(void) {
    struct link **at = next_link();
    struct link *l = at ? *at : 0;
    if (!l) return 0;
    struct node *n = (struct node *)((char *)l - sizeof(long));
    n->count = 4;
    if (l->kind == 7 && n->link.kind == 7 && n->count == 4) reach_error();
    return 0;
}
