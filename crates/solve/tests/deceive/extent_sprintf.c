// expect: unsafe
void reach_error(void);
int sprintf(char *, const char *, ...);
struct s { char tag[4]; char rest[8]; } a;
int main(void) {
    sprintf(a.tag, "%d", 123456);
    if (a.rest[0] == '5') reach_error();
}
