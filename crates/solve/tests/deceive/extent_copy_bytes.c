// expect: unsafe!
// A byte copy reaches what lies behind the first array of a struct.
void reach_error(void);
struct s { char tag[4]; int v; } a, b;
int main(void) {
    char *to = (char *)&b, *from = (char *)&a;
    a.v = 7;
    for (unsigned i = 0; i < sizeof a; i++) to[i] = from[i];
    if (b.v == 7) reach_error();
}
