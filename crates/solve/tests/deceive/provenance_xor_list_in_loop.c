// expect: unsafe
void reach_error(void);
struct node { unsigned long both; int v; } n[3];
int main(void) {
    for (int i = 0; i < 3; i++) {
        unsigned long prev = i ? (unsigned long)&n[i - 1] : 0, next = i < 2 ? (unsigned long)&n[i + 1] : 0;
        n[i].both = prev ^ next;
        n[i].v = i + 1;
    }
    unsigned long prev = 0;
    struct node *p = &n[0];
    int sum = 0;
    while (p) {
        sum = sum * 10 + p->v;
        unsigned long next = p->both ^ prev;
        prev = (unsigned long)p;
        p = (struct node *)next;
    }
    if (sum == 123) reach_error();
    return 0;
}
