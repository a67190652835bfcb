// expect: unsafe
// not run: the interpreter chooses no address
void reach_error(void);
// What a variable holds that is not initialised is arbitrary, in its members as well.
int x;
struct s { long a, b; };
int main(void) {
    struct s s;
    if (s.b == (long)&x) *(int *)s.b = 1;
    if (x) reach_error();
}
