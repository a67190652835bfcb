// expect: unsafe
// not run: depends on where objects lie
void reach_error(void);
char buffer[64];
int main(void) {
    char *p = buffer;
    int n = 0;
    while ((unsigned long)p % 16) { p++; n++; }
    if (n == 11) reach_error();
    return 0;
}
