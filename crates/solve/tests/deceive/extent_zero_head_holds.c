// expect: safe!
// Only the array is zeroed, and what follows it stays.
void reach_error(void);
struct s { char tag[4]; int v; };
int main(void) {
    struct s a = { "xyz", 9 };
    char *p = a.tag;
    for (unsigned i = 0; i < sizeof a.tag; i++) p[i] = 0;
    if (a.v != 9) reach_error();
}
