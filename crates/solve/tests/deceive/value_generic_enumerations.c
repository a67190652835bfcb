// expect: unsafe
// not run: two types are one to us
void reach_error(void);
enum a { A } x;
enum b { B };
int main(void) {
    if (_Generic(x, enum b: 1, default: 2) == 2) reach_error();
    return 0;
}
