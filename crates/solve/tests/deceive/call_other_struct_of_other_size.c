// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
struct one { int (*f)(int); } a[4];
struct two { int (*f)(int); void (*g)(long); };
static int hit(int n) { if (n == 4) reach_error(); return 0; }
int main(void) {
    a[3].f = hit;
    ((struct two *)a)[1].g(4);
    return 0;
}
