// expect: unsafe
// A table of numbers is copied as bytes and used as pointers.
void reach_error(void);
struct numbers { unsigned long n[2]; };
struct pointers { int *p[2]; };
int x, y;
int main(void) {
    struct numbers a = { { (unsigned long)&x, (unsigned long)&y } };
    struct pointers *b = (struct pointers *)&a;
    *b->p[1] = 1;
    if (y) reach_error();
}
