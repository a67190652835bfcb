// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
static int bad(int n) { reach_error(); return n; }
static void *find(void) { return (void *)bad; }
int main(void) {
    void (*p)(void) = (void (*)(void))find();
    p();
}
