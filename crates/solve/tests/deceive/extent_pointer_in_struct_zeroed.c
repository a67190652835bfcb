// expect: unsafe
void reach_error(void);
struct s { char tag[8]; int *p; };
int g;
int main(void) {
    struct s x = { "", &g };
    char *p = x.tag;
    for (unsigned i = 0; i < sizeof x; i++) p[i] = 0;
    if (!x.p) reach_error();
}
