// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
union { int (*f[4])(int); struct { void *skip[2]; void (*g)(long); } s; } u;
static int hit(int n) { if (n == 4) reach_error(); return 0; }
int main(void) {
    u.f[2] = hit;
    u.s.g(4);
    return 0;
}
