// expect: unsafe
void reach_error(void);
static void nothing(void) {}
struct s { char tag[8]; void (*f)(void); } x = { "", nothing };
int main(void) {
    char *p = x.tag;
    for (unsigned i = 0; i < sizeof x; i++) p[i] = 0;
    if (x.f == 0) reach_error();
}
