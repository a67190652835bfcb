// expect: safe!
void reach_error(void);
static int f(int n) { return n + 1; }
int main(void) {
    void (*p)(void) = (void (*)(void))f;
    if (((int (*)(int))p)(4) != 5) reach_error();
}
