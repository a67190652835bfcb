// expect: unsafe!
// Two structs differ behind their first array.
void reach_error(void);
struct s { char tag[4]; int v; } a, b;
int main(void) {
    unsigned char *p = (unsigned char *)&a, *q = (unsigned char *)&b;
    int same = 1;
    b.v = 0x100;
    for (unsigned i = 0; i < sizeof a; i++)
        if (p[i] != q[i]) same = 0;
    if (!same) reach_error();
}
