// expect: unsafe
// not run: two types are one to us
void reach_error(void);
static int f(int n) { return n; }
int main(void) {
    if (_Generic(f, int (*)(): 1, default: 2) == 1) reach_error();
    return 0;
}
