// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
static int hit(int n) { if (n == 4) reach_error(); return 0; }
static int (*get(void))(int) { return hit; }
int main(void) {
    void (*(*h)(void))(long) = (void (*(*)(void))(long))get;
    h()(4);
    return 0;
}
