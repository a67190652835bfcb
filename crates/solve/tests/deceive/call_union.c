// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
static int f(int n) { if (n == 4) reach_error(); return 0; }
union { int (*f)(int); void (*g)(long); } u;
int main(void) {
    u.f = f;
    u.g(4);
}
