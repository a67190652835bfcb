// expect: unsafe
void reach_error(void);
int sprintf(char *, const char *, ...);
int x;
int main(void) {
    char text[32];
    unsigned long n = 0;
    sprintf(text, "%lx", (unsigned long)&x);
    for (int i = 0; text[i]; i++) n = n * 16 + (text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
    *(int *)n = 1;
    if (x) reach_error();
}
