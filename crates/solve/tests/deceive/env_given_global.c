// expect: unsafe
// not run: what the environment gives is not there
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct node { struct node *next; int v; };
extern struct node *head;
int main(void) {
    struct node ours;
    ours.next = 0;
    ours.v = 1;
    struct node *p = &ours;
    if (__VERIFIER_nondet_int() && head) p = head->next;
    if (p && p->v != 1) reach_error();
    return 0;
}
