// expect: unsafe
// not run: the types of call and function differ
void reach_error(void);
int x;
static int f(void) { x = 1; return 2; }
int main(void) {
    long long (*p)(void) = (long long (*)(void))f;
    p();
    if (x) reach_error();
}
