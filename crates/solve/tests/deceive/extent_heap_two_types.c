// expect: unsafe
// One piece of the heap, seen as bytes and as two structs.
void reach_error(void);
void *calloc(unsigned long, unsigned long);
struct a { char c[8]; };
struct b { int x, y; };
int main(void) {
    void *m = calloc(1, 8);
    struct a *a = m;
    struct b *b = m;
    b->y = 0x01020304;
    if (a->c[4] == 4) reach_error();
}
