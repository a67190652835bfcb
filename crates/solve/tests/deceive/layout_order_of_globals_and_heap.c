// expect: unsafe
// not run: the order of objects is open
void reach_error(void);
void *malloc(unsigned long);
int g;
int main(void) {
    int l, *h = malloc(4);
    unsigned long a = (unsigned long)&g, b = (unsigned long)&l, c = (unsigned long)h;
    if (c < a && b < a) reach_error();
}
