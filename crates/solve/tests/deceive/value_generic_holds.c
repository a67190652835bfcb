// expect: safe!
// A twin: these types are told apart.
void reach_error(void);
struct s { int a; };
int main(void) {
    short n = 0;
    struct s s = { 1 };
    double d = 0;
    if (_Generic(n, short: 1, default: 2) != 1) reach_error();
    if (_Generic(s, struct s: 1, default: 2) != 1) reach_error();
    if (_Generic(d, float: 1, double: 3, default: 2) != 3) reach_error();
    if (__builtin_types_compatible_p(short, const short) != 1) reach_error();
    if (__builtin_types_compatible_p(int *, struct s)) reach_error();
    return 0;
}
