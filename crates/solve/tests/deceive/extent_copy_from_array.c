// expect: unsafe
// The same from the array member itself: the bounds are those of the whole object.
void reach_error(void);
struct s { char tag[4]; int v; } a, b;
int main(void) {
    char *to = b.tag, *from = a.tag;
    a.v = 7;
    for (unsigned i = 0; i < sizeof a; i++) to[i] = from[i];
    if (b.v == 7) reach_error();
}
