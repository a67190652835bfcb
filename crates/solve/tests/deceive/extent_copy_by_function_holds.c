// expect: safe!
void reach_error(void);
struct s { char tag[4]; int v; };
static void copy(void *to, const void *from, unsigned n) {
    char *t = to;
    const char *f = from;
    while (n--) *t++ = *f++;
}
int main(void) {
    struct s a = { "abc", 5 }, b = { "", 0 };
    copy(&b, &a, sizeof a);
    if (b.v != 5 || b.tag[2] != 'c') reach_error();
}
