// expect: unsafe
void reach_error(void);
char *strcpy(char *, const char *);
struct s { char tag[4]; char rest[8]; } a;
int main(void) {
    strcpy(a.tag, "abcdef");
    if (a.rest[0] == 'e') reach_error();
}
