// expect: safe
// A short text does not reach the next member.
void reach_error(void);
int sprintf(char *, const char *, ...);
struct s { char tag[8]; int v; } a;
int main(void) {
    a.v = 3;
    sprintf(a.tag, "%d", 12);
    if (a.v != 3) reach_error();
}
