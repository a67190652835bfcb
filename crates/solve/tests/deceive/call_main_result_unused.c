// expect: unsafe
// not run: the types of call and function differ
// The result decides, and the function gives a wider one.
void reach_error(void);
static long long f(void) { return 0x100000000LL; }
int main(void) {
    int (*p)(void) = (int (*)(void))f;
    if (p() == 0) reach_error();
}
