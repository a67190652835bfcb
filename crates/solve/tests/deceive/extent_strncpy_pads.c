// expect: unsafe
// The padding with zeros reaches the next member.
void reach_error(void);
char *strncpy(char *, const char *, unsigned long);
struct s { char tag[4]; char rest[4]; } a = { "abc", "def" };
int main(void) {
    strncpy(a.tag, "x", 6);
    if (a.rest[0] == 0) reach_error();
}
