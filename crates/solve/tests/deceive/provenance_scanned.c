// expect: unsafe
// not run: reading a pointer from text is not modelled
void reach_error(void);
int sprintf(char *, const char *, ...);
int sscanf(const char *, const char *, ...);
int x;
int main(void) {
    char text[32];
    unsigned long n;
    sprintf(text, "%lx", (unsigned long)&x);
    sscanf(text, "%lx", &n);
    *(int *)n = 1;
    if (x) reach_error();
}
