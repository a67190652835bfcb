// expect: unsafe!
// A range that ends inside an element was taken to leave it as it was.
void reach_error(void);
void *memset(void *, int, unsigned long);
int a[4];
int main(void) {
    memset(a, 1, 6);
    for (unsigned i = 1; i < 4; i++)
        if (a[i]) reach_error();
}
