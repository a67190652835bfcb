// expect: unsafe
void reach_error(void);
struct s { char tag[4]; int v; } a, b;
int main(void) {
    unsigned char *to = (unsigned char *)&b, *from = (unsigned char *)&a, *end = from + sizeof a;
    a.v = -2;
    while (from != end) *to++ = *from++;
    if (b.v == -2) reach_error();
}
