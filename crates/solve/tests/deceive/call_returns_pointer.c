// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
int x;
static int *f(void) { return &x; }
int main(void) {
    unsigned long (*p)(void) = (unsigned long (*)(void))f;
    *(int *)p() = 1;
    if (x) reach_error();
}
