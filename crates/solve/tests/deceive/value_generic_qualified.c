// expect: unsafe
// not run: two types are one to us
void reach_error(void);
int main(void) {
    char c = 0, *p = &c;
    if (_Generic(p, const char *: 1, default: 2) == 2) reach_error();
    return 0;
}
