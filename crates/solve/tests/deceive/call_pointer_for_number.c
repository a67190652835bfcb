// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
int x;
static void f(int *p) { *p = 1; }
int main(void) {
    void (*p)(unsigned long) = (void (*)(unsigned long))f;
    p((unsigned long)&x);
    if (x) reach_error();
}
