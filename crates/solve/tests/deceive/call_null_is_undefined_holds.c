// expect: safe
void reach_error(void);
static void f(void) { reach_error(); }
int main(void) {
    void (*p)(void) = f;
    p = 0;
    p();
}
