// expect: unsafe
void reach_error(void);
char *strcat(char *, const char *);
struct s { char tag[4]; char rest[8]; } a = { "ab", "" };
int main(void) {
    strcat(a.tag, "cdef");
    if (a.rest[1] == 'f') reach_error();
}
