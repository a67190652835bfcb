// expect: unsafe
void reach_error(void);
int *__errno_location(void);
long long strtoll(const char *s, char **end, int base);
int main(void) {
    *__errno_location() = 0;
    strtoll("1", 0, 99);
    if (*__errno_location() == 22) reach_error();
    return 0;
}
