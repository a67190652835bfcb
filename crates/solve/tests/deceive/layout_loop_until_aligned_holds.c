// expect: safe
void reach_error(void);
char buffer[64];
int main(void) {
    char *p = buffer;
    int n = 0;
    while ((unsigned long)p % 16) { p++; n++; }
    *p = 1;
    if (n > 15) reach_error();
    return 0;
}
