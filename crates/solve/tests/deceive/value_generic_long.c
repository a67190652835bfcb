// expect: unsafe
// data: 64
// not run: two types are one to us
void reach_error(void);
int main(void) {
    long long n = 0;
    if (_Generic(n, long: 1, default: 2) == 2) reach_error();
    return 0;
}
