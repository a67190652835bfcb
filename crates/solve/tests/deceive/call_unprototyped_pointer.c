// expect: unsafe
// not run: the types of call and function differ
// The pointer says nothing about arguments, the function takes another type.
void reach_error(void);
static void f(long long n) { reach_error(); }
int main(void) {
    void (*p)() = (void (*)())f;
    p(1);
}
