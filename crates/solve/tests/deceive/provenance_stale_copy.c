// expect: unsafe
// not run: the interpreter chooses no address
void reach_error(void);
struct s { long a, b; };
int x;
int main(void) {
    struct s u;
    struct s v = u;
    if (v.b == (long)&x) *(int *)v.b = 1;
    if (x) reach_error();
}
