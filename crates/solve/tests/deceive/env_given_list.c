// expect: unsafe
// not run: what the environment gives is not there
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct node { struct node *next; int v; };
struct node *get(void);
int main(void) {
    struct node ours;
    ours.next = 0;
    ours.v = 1;
    struct node *p = get();
    if (!p) return 0;
    if (__VERIFIER_nondet_int()) p->next = &ours;
    struct node *q = p->next;
    if (q && q->v != 1) reach_error();
    return 0;
}
