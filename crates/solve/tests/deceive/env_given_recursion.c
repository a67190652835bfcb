// expect: unsafe
// not run: what the environment gives is not there
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct node { struct node *next; int v; };
struct node *get(void);
struct node ours;
struct node *last(struct node *p, int depth) {
    if (depth <= 0 || !p) return p;
    return last(p->next, depth - 1);
}
int main(void) {
    ours.v = 1;
    struct node *p = get();
    if (!p) return 0;
    if (__VERIFIER_nondet_int()) p->next = &ours;
    struct node *q = last(p, 1);
    if (q && q != p && q->v != 1) reach_error();
    return 0;
}
