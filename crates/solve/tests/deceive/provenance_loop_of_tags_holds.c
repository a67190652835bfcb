// expect: safe
void reach_error(void);
int __VERIFIER_nondet_int(void);
struct node { struct node *next; int v; } n[3];
int main(void) {
    int key = __VERIFIER_nondet_int();
    if (key > 1000 || key < -1000) return 0;
    struct node *head = 0;
    for (int i = 0; i < 3; i++) {
        n[i].next = (struct node *)((unsigned long)head | (i & 1));
        n[i].v = key + i;
        head = &n[i];
    }
    int sum = 0;
    while (head) {
        if ((unsigned long)head->next & 1) sum += head->v;
        head = (struct node *)((unsigned long)head->next & ~1ul);
    }
    if (sum != key + 1) reach_error();
    return 0;
}
