// expect: unsafe
// A list whose links are the neighbours' addresses together.
void reach_error(void);
struct node { int v; unsigned long link; } a, b, c;
int main(void) {
    a.link = (unsigned long)&b;
    b.link = (unsigned long)&a ^ (unsigned long)&c;
    c.link = (unsigned long)&b;
    struct node *prev = 0, *at = &a;
    for (int i = 0; i < 2; i++) {
        struct node *next = (struct node *)(at->link ^ (unsigned long)prev);
        prev = at;
        at = next;
    }
    at->v = 4;
    if (c.v == 4) reach_error();
}
