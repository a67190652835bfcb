// expect: unsafe
// not run: the value is whatever is left
void reach_error(void);
static void f(void) {}
int main(void) {
    int (*p)(void) = (int (*)(void))f;
    if (p() == 12345) reach_error();
}
