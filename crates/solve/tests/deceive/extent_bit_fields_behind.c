// expect: unsafe
// A fill of the array reaches the fields behind it.
void reach_error(void);
struct s { char tag[4]; unsigned a : 3, b : 29; } x;
int main(void) {
    char *p = x.tag;
    for (int i = 0; i < 8; i++) p[i] = -1;
    if (x.a == 7) reach_error();
}
