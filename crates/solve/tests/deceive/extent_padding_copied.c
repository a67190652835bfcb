// expect: unsafe
// A byte in the padding is carried by a byte copy.
void reach_error(void);
struct s { char c; int v; } x, y;
int main(void) {
    char *p = (char *)&x, *q = (char *)&y;
    p[2] = 1;
    for (unsigned i = 0; i < sizeof x; i++) q[i] = p[i];
    if (((char *)&y)[2] == 1) reach_error();
}
