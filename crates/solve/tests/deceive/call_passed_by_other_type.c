// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
static int hit(int n) { if (n == 4) reach_error(); return 0; }
static void apply(void (*g)(long)) { g(4); }
int main(void) {
    void (*a)(int (*)(int)) = (void (*)(int (*)(int)))apply;
    a(hit);
    return 0;
}
