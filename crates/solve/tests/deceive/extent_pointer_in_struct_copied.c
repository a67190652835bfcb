// expect: unsafe
// A pointer is copied byte by byte and still points to its object.
void reach_error(void);
struct s { char tag[8]; int *p; };
int g;
int main(void) {
    struct s x = { "", &g }, y = { "", 0 };
    char *to = y.tag, *from = x.tag;
    for (unsigned i = 0; i < sizeof x; i++) to[i] = from[i];
    *y.p = 3;
    if (g == 3) reach_error();
}
