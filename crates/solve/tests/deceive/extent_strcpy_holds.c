// expect: safe!
void reach_error(void);
char *strcpy(char *, const char *);
struct s { char tag[4]; char rest[8]; } a = { "abc", "z" };
int main(void) {
    strcpy(a.tag, "xy");
    if (a.rest[0] != 'z' || a.tag[1] != 'y' || a.tag[2] != 0) reach_error();
}
