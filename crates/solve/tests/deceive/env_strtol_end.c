// expect: unsafe
void reach_error(void);
long strtol(const char *s, char **end, int base);
int main(void) {
    char text[] = "7x", *end = text;
    long n = strtol(text, &end, 10);
    if (n == 7 && *end == 'x') reach_error();
    return 0;
}
