// expect: unsafe
void reach_error(void);
void *memmove(void *, const void *, unsigned long);
struct s { char tag[4]; char rest[4]; } a = { "abc", "xyz" };
int main(void) {
    memmove(a.tag + 2, a.tag, 4);
    if (a.rest[0] == 'c') reach_error();
}
