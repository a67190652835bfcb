// expect: unsafe!
void reach_error(void);
struct s { char tag[4]; int v; };
int main(void) {
    struct s a = { "xyz", 9 };
    char *p = a.tag;
    for (unsigned i = 0; i < sizeof a; i++) p[i] = 0;
    if (a.v == 0) reach_error();
}
