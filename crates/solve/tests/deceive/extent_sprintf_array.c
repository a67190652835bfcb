// expect: unsafe
void reach_error(void);
int sprintf(char *, const char *, ...);
char a[16];
int main(void) {
    sprintf(a, "%s-%d", "x", 42);
    if (a[0] == 'x' && a[3] == '2') reach_error();
}
