// expect: unsafe
void reach_error(void);
struct s { char tag[4]; int v; } a[2], b[2];
int main(void) {
    char *p = (char *)b, *q = (char *)a;
    a[1].v = 6;
    for (unsigned i = 0; i < sizeof a; i++) p[i] = q[i];
    if (b[1].v == 6) reach_error();
}
