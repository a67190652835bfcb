// expect: unsafe
// The callee knows only a pointer to a char.
void reach_error(void);
struct s { char tag[4]; int v; };
static void clear(char *p, int n) {
    for (int i = 0; i < n; i++) p[i] = 0;
}
int main(void) {
    struct s x = { "abc", 77 };
    clear(x.tag, sizeof x);
    if (x.v != 77) reach_error();
}
