// expect: unsafe
// not run: not modelled
void reach_error(void);
int printf(const char *format, ...);
int main(void) {
    int n = 0;
    printf("ab%n", &n);
    if (n == 2) reach_error();
    return 0;
}
